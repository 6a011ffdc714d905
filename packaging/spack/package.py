# Copyright 2026 the Roundabout authors
#
# SPDX-License-Identifier: BSD-3-Clause
"""A Spack recipe, in the form of Spack 1.x. docs/releasing.md says how it was tested."""

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Roundabout(CMakePackage):
    """Roundabout plans, proves, simulates, tunes and plots pipelined collectives
    of MPI programs."""

    # A release adds url = ".../roundabout-2.0.0.tar.gz" and version(..., sha256=...); until then
    # the recipe builds a checkout: `spack dev-build roundabout@2.0.0`.
    homepage = "https://example.org/roundabout"
    has_code = True

    license("BSD-3-Clause")

    version("2.0.0")

    variant("mpi", default=True, description="Build the collectives for the MPI library")
    variant("gnuplot", default=True, description="Draw figures with gnuplot")
    variant("jemalloc", default=True, description="Simulate faster with jemalloc")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("simgrid@3.32:+smpi")
    depends_on("libyaml")
    depends_on("jansson")
    depends_on("sqlite")
    depends_on("libxml2")
    depends_on("nlopt")
    depends_on("jemalloc", when="+jemalloc")
    depends_on("mpi@3.1:", when="+mpi")
    depends_on("hwloc@2.1:", when="+mpi")
    depends_on("gnuplot+cairo", type="run", when="+gnuplot")
    depends_on("cmocka", type="test")

    generator("ninja")

    def cmake_args(self):
        args = [self.define("BUILD_TESTING", self.run_tests)]
        mpicc = self.spec["mpi"].mpicc if self.spec.satisfies("+mpi") else "OFF"
        args.append(self.define("ROUNDABOUT_MPICC", mpicc))
        return args
