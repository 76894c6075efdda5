// expect: sc verified
using System.Diagnostics;

interface IShape { int Area(); }
interface IRound : IShape { int Radius(); }
class Plain : IShape { int IShape.Area() { return 1; } public virtual int Area() { return 2; } }
class Again : Plain, IShape { public override int Area() { return 3; } }
class Hidden : Plain { public new int Area() { return 4; } }
class Both : Plain, IRound { int IShape.Area() { return 5; } public int Radius() { return 6; } }
struct Small : IShape { public int Area() { return 7; } }

class InterfaceCandidates {
    static int Of(IShape shape) { return shape.Area(); }
    static int OfAny<T>(T shape) where T : IShape { return shape.Area(); }

    static void Main() {
        Debug.Assert(Of(new Plain()) == 1);
        Debug.Assert(Of(new Again()) == 3);
        Debug.Assert(Of(new Hidden()) == 1);
        Debug.Assert(Of(new Both()) == 5);
        Debug.Assert(Of(new Small()) == 7);
        Debug.Assert(OfAny(new Small()) == 7 && OfAny(new Again()) == 3);
        Debug.Assert(((Plain)new Hidden()).Area() == 2 && new Hidden().Area() == 4);
    }
}
