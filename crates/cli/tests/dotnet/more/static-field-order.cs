// expect: sc verified
using System.Diagnostics;

class EarlySettings {
    public static int Size;
}

class EarlyBuffer {
    public static int[] Items = new int[EarlySettings.Size];
}

class StaticFieldOrderEarly {
    static void Main() {
        EarlySettings.Size = 3;
        Debug.Assert(EarlyBuffer.Items.Length == 3);
    }
}
