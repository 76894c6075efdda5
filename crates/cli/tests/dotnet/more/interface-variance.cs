// expect: sc verified
using System;
using System.Collections.Generic;
using System.Diagnostics;

interface ISource<out T> { T Get(); }
interface ISink<in T> { string Put(T x); }
class Animal { public virtual string Name() { return "animal"; } }
class Cat : Animal { public override string Name() { return "cat"; } }
class Cats : ISource<Cat> { public Cat Get() { return new Cat(); } }
class Zoo : ISource<Animal>, ISource<Cat> {
    Animal ISource<Animal>.Get() { return new Animal(); }
    Cat ISource<Cat>.Get() { return new Cat(); }
}
class Eater : ISink<Animal> { public string Put(Animal x) { return x.Name(); } }

class InterfaceVariance {
    static void Main() {
        ISource<Animal> source = new Cats();
        Debug.Assert(source.Get().Name() == "cat");
        ISource<Animal> zoo = new Zoo();
        Debug.Assert(zoo.Get().Name() == "animal");
        ISink<Cat> sink = new Eater();
        Debug.Assert(sink.Put(new Cat()) == "cat");
        IEnumerable<object> all = new List<string> { "a", "b" };
        int n = 0;
        foreach (object x in all)
            n += ((string)x).Length;
        Func<object> get = () => "text";
        Func<string> text = () => "other";
        get = text;
        Debug.Assert(n == 2 && (string)get() == "other");
    }
}
