// expect: sc violated assertion
using System.Diagnostics;
using System.Threading.Tasks;

class WhenAllLost {
    static int count;

    static async Task Add() {
        await Task.Yield();
        count++;
    }

    static void Main() {
        Task.WhenAll(Add(), Add()).Wait();
        Debug.Assert(count == 2);
    }
}
