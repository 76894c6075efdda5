// expect: dotnet verified
// expect: dotnet-ecma violated assertion
using System.Diagnostics;
using System.Threading;

class Item { public int Value; }

class PublishArrayElement {
    static readonly Item[] items = new Item[1];

    static void Main() {
        var other = new Thread(() => items[0] = new Item { Value = 5 });
        other.Start();
        var seen = items[0];
        if (seen != null)
            Debug.Assert(seen.Value == 5);
        other.Join();
    }
}
