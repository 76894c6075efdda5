// The text that is printed is read like any other memory.
// expect: rc11 violated data-race
#include <pthread.h>
#include <stdio.h>
char text[4] = "abc";
void *write(void *arg) { text[0] = 'x'; return arg; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, write, 0);
    printf("%s\n", text);
    pthread_join(t, 0);
}
