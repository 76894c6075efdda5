// expect: sc verified
using System.Diagnostics;
using System.Globalization;

class FormatFixed {
    static void Main() {
        Debug.Assert((1234.5).ToString("F2", CultureInfo.InvariantCulture) == "1234.50");
        Debug.Assert((1234).ToString("N0", CultureInfo.InvariantCulture) == "1,234");
        Debug.Assert((0.5).ToString(CultureInfo.InvariantCulture) == "0.5");
    }
}
