/* The yardstick: plain bitmask backtracking, row by row, one mirror image of each board.
 *
 * Usage: plain_bitmask N     prints the number of solutions and the seconds of processor time it took.
 * The program every other one is measured against since J. Somers (2002) and M. Richards (1997).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint32_t board;

static uint64_t place(uint32_t columns, uint32_t left, uint32_t right)
{
    if (columns == board)
        return 1;
    uint64_t solutions = 0;
    for (uint32_t free = board & ~(columns | left | right); free; free &= free - 1) {
        uint32_t queen = free & -free;
        solutions += place(columns | queen, (left | queen) << 1, (right | queen) >> 1);
    }
    return solutions;
}

/* The queen of the first row is in the left half, or in the middle and that of the second row in the left half. */
static uint64_t count(int n)
{
    uint64_t solutions = 0;
    for (int column = 0; column < n / 2; column++) {
        uint32_t queen = UINT32_C(1) << column;
        solutions += place(queen, queen << 1, queen >> 1);
    }
    if (n % 2) {
        uint32_t middle = UINT32_C(1) << n / 2;
        for (int column = 0; column < n / 2 - 1; column++) {
            uint32_t queen = UINT32_C(1) << column;
            solutions += place(middle | queen, (middle << 1 | queen) << 1, (middle >> 1 | queen) >> 1);
        }
    }
    return 2 * solutions;
}

int main(int arguments, char **argument)
{
    int n = arguments == 2 ? atoi(argument[1]) : 0;
    if (n < 2 || n > 31) {
        fprintf(stderr, "usage: plain_bitmask N     with N in 2..31\n");
        return 2;
    }
    board = (UINT32_C(1) << n) - 1;
    clock_t start = clock();
    uint64_t solutions = count(n);
    printf("%llu %.6f\n", (unsigned long long)solutions, (double)(clock() - start) / CLOCKS_PER_SEC);
    return 0;
}
