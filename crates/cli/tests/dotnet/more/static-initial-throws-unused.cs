// expect: sc verified
using System;
using System.Diagnostics;

class BrokenUnused {
    public static readonly int[] Items = Make();
    static int[] Make() { throw new InvalidOperationException(); }
    public static int Other() { return 3; }
    public static int Get() { return Items.Length; }
}

class StaticInitialThrowsUnused {
    static void Main() {
        int caught = 0;
        for (int i = 0; i < 2; i++)
            try {
                BrokenUnused.Get();
            } catch (TypeInitializationException e) {
                if (e.InnerException is InvalidOperationException)
                    caught++;
            }
        Debug.Assert(caught == 2);
    }
}
