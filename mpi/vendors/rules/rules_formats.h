/* rules_formats.h - the list of formats, in the order of --format; a line here registers one. The
 * including file defines RULES_FORMAT first; so this header has no include guard. */

RULES_FORMAT(rules_ompi)
RULES_FORMAT(rules_ompi_2)
RULES_FORMAT(rules_ompi_json)
RULES_FORMAT(rules_mpich)
RULES_FORMAT(rules_mpich_5_1)
RULES_FORMAT(rules_ucc)
RULES_FORMAT(rules_impi)
RULES_FORMAT(rules_smpi)
RULES_FORMAT(rules_nccl)
RULES_FORMAT(rules_nccl_ranges)

#undef RULES_FORMAT
