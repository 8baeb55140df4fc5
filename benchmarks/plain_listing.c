/* The yardstick for listing: plain bitmask backtracking, row by row, all boards into one array.
 *
 * A shared library: list(n, boards) writes the solutions, n bytes each, columns by row, and returns their number.
 * The caller knows how many there will be; nothing is allocated here.
 */
#include <stdint.h>
#include <string.h>

static uint32_t board;
static int size;
static uint8_t placement[32];
static uint8_t *next;

static void place(int row, uint32_t columns, uint32_t left, uint32_t right)
{
    if (columns == board) {
        memcpy(next, placement, size);
        next += size;
        return;
    }
    for (uint32_t free = board & ~(columns | left | right); free; free &= free - 1) {
        uint32_t queen = free & -free;
        placement[row] = __builtin_ctz(queen);
        place(row + 1, columns | queen, (left | queen) << 1, (right | queen) >> 1);
    }
}

uint64_t list(int n, uint8_t *boards)
{
    size = n;
    board = (UINT32_C(1) << n) - 1;
    next = boards;
    place(0, 0, 0, 0);
    return (next - boards) / n;
}
