// expect: sc verified
// expect: dotnet verified
using System.Diagnostics;
using System.Threading;
class Table {
    public static readonly int[] Data;
    public static int Made;
    static Table() {
        Data = new int[2];
        Data[1] = 3;
        Made++;
    }
    public static int Get() {
        return Data[1];
    }
}
class Program {
    static void Main() {
        var t = new Thread(() => Debug.Assert(Table.Get() == 3));
        t.Start();
        Debug.Assert(Table.Get() == 3);
        t.Join();
        Debug.Assert(Table.Made == 1);
    }
}
