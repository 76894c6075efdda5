// expect: sc unknown
// message: not supported
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;
class Program {
    static readonly AsyncLocal<int> flow = new AsyncLocal<int>();
    static void Main() {
        flow.Value = 3;
        int seen = 0;
        Task.Run(() => { seen = flow.Value; flow.Value = 9; }).Wait();
        Debug.Assert(seen == 3 && flow.Value == 3);
    }
}
