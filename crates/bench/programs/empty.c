// What starting up costs: reading the model, running clang, and nothing to explore.
int main(void)
{
    return 0;
}
