// expect: sc violated unhandled-exception
// message: as expected
using System.Threading; using System;
class P { static object a = new object(); static int ok;
 static void Main() { try { Monitor.Exit(a); } catch (SynchronizationLockException) { ok = 1; } if (ok == 1) throw new Exception("as expected"); } }
