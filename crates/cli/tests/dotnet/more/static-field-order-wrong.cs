// expect: sc violated assertion
// A static field's initial value is computed at its first use, where it can be told.
using System.Diagnostics;

class Settings {
    public static int Size;
}

class Buffer {
    public static int[] Items = new int[Settings.Size];
}

class StaticFieldOrder {
    static void Main() {
        Settings.Size = 3;
        Debug.Assert(Buffer.Items.Length == 0);
    }
}
