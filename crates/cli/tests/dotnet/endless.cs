// expect: sc violated non-termination
using System.Threading;
class P { static bool go; static int turn;
 static void Main() { var t = new Thread(() => { while (!go) { } }); t.Start(); if (turn == 1) go = true; t.Join(); } }
