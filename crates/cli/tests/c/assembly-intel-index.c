// expect: rc11 unknown
// args: -masm=intel
// message: mov $0, dword ptr [$1 + rax * 4]
static int values[2];

int main(void)
{
    int x;
    __asm__ volatile("mov %0, dword ptr [%1 + rax * 4]" : "=r"(x) : "r"(values));
    return x;
}
