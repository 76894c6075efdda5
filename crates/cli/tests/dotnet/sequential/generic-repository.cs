using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
interface IEntity { int Id { get; set; } }
class User : IEntity {
    public int Id { get; set; }
    public string Name { get; set; }
}
class Order : IEntity, IComparable<Order> {
    public int Id { get; set; }
    public int User;
    public int Total;
    public int CompareTo(Order o) {
        return Total.CompareTo(o.Total);
    }
}
class Repo<T1> where T1 : class, IEntity {
    readonly Dictionary<int, T1> d = new Dictionary<int, T1>();
    int next = 1;
    public T1 Add(T1 x) {
        x.Id = next++;
        d[x.Id] = x;
        return x;
    }
    public T1 Find(int id) {
        T1 x;
        return d.TryGetValue(id, out x) ? x : null;
    }
    public IEnumerable<T1> Where(Func<T1, bool> p) {
        return d.Values.Where(p);
    }
    public bool Remove(int id) {
        return d.Remove(id);
    }
    public int Count {
        get {
            return d.Count;
        }
    }
}
class Program {
    static void Main() {
        var us = new Repo<User>();
        var os = new Repo<Order>();
        var a = us.Add(new User { Name = "ann" });
        var b = us.Add(new User { Name = "bob" });
        os.Add(new Order { User = a.Id, Total = 30 });
        os.Add(new Order { User = b.Id, Total = 20 });
        os.Add(new Order { User = a.Id, Total = 5 });
        T.W(us.Find(2).Name);
        T.W(us.Find(9) == null);
        T.W(os.Where(o => o.User == a.Id).Sum(o => o.Total));
        T.W(os.Where(o => true).Max().Id);
        var per = us.Where(u => true).GroupJoin(os.Where(o => true), u => u.Id, o => o.User, (u, l) => u.Name + l.Count());
        T.W(string.Join(",", per));
        T.W(us.Remove(1));
        T.W(us.Count);
        var flat = us.Where(u => true).SelectMany(u => os.Where(o => o.User == u.Id), (u, o) => u.Name + o.Total);
        T.W(string.Join(",", flat));
    }
}
