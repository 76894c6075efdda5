// expect: sc unknown
// message: not supported
using System.Threading;

class LockBuiltString {
    static void Use(int n) {
        lock ("user" + n) { }
    }

    static void Main() {
        var other = new Thread(() => Use(1));
        other.Start();
        Use(1);
        other.Join();
    }
}
