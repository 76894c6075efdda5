// expect: sc verified
using System.Diagnostics;
using System.Threading;

class ElevatorStates {
    enum State { Idle, Moving, Open }
    static State state;
    static readonly object gate = new object();

    static void Step() {
        lock (gate)
            switch (state) {
                case State.Idle: state = State.Moving; break;
                case State.Moving: state = State.Open; goto case State.Open;
                case State.Open: state = State.Idle; break;
            }
    }

    static void Main() {
        var other = new Thread(Step);
        other.Start();
        Step();
        other.Join();
        Debug.Assert(state == State.Idle);
    }
}
