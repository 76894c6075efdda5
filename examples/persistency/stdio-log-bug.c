// A line is appended to a log by way of a stream. `fsync` makes persist what is in the file, and what was
// printed is still in the buffer of the stream.
//
// expect: ext4-ordered rc11 violated recovery-assertion line=18

#include <assert.h>
#include <fcntl.h>
#include <selvedge.h>
#include <stdio.h>
#include <unistd.h>

void __VERIFIER_recovery_routine(void)
{
    char line[8] = {0}, done = 0;
    int told = open("told", O_RDONLY);
    if (read(told, &done, 1) == 1 && done == 'y') {
        FILE *log = fopen("log", "r");
        assert(fgets(line, sizeof line, log) && line[0] == 'p' && line[3] == '7');
    }
}

int main(void)
{
    int told = open("told", O_CREAT | O_WRONLY, 0600);
    FILE *log = fopen("log", "w");
    __VERIFIER_pbarrier();
    fprintf(log, "put%d\n", 7);
    fsync(fileno(log));
    write(told, "y", 1);
    fclose(log);
    return 0;
}
