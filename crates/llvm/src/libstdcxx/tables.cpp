// Tables of hashes: how many buckets they have. The numbers are odd and grow by two; that there are few elements for
// each bucket is all that the headers rely on.

#include <unordered_map>

namespace std {

size_t _Hash_bytes(const void *data, size_t length, size_t seed)
{
    auto *bytes = static_cast<const unsigned char *>(data);
    size_t hash = seed ^ 14695981039346656037ul;
    for (size_t at = 0; at < length; at++)
        hash = (hash ^ bytes[at]) * 1099511628211ul;
    return hash;
}

namespace __detail {

size_t _Prime_rehash_policy::_M_next_bkt(size_t least) const
{
    size_t count = 1;
    while (count < least)
        count = count == 1 ? 13 : 2 * count + 3;
    _M_next_resize = static_cast<size_t>(static_cast<double>(count) * _M_max_load_factor);
    return count;
}

pair<bool, size_t> _Prime_rehash_policy::_M_need_rehash(size_t buckets, size_t elements, size_t more) const
{
    if (elements + more <= _M_next_resize)
        return {false, 0};
    auto least = static_cast<size_t>(static_cast<double>(elements + more) / _M_max_load_factor) + 1;
    if (least <= buckets) {
        _M_next_resize = static_cast<size_t>(static_cast<double>(buckets) * _M_max_load_factor);
        return {false, 0};
    }
    return {true, _M_next_bkt(least)};
}

} // namespace __detail
} // namespace std
