/* list.h - the formats of measured rows; a line here registers a format. The including file defines
 * the macro ROWS_FORMAT first, which is applied to each name; so this header has no include guard.
 */

ROWS_FORMAT(rows_osu)
ROWS_FORMAT(rows_imb)
ROWS_FORMAT(rows_nccl_tests)
ROWS_FORMAT(rows_nccl_inspector)
ROWS_FORMAT(rows_nccl_tuning)
ROWS_FORMAT(rows_csv)
