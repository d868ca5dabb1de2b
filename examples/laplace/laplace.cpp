// Laplace's equation on a square plate by Jacobi iteration; every few sweeps the field goes to a stream.
//
//     mpiexec -n 2 build/CXX/laplace [points [sweeps [every]]]
//
// The plate is held at 1 along its first row and at 0 along the other edges. Each rank owns a band of the rows inside,
// and a copy of the row next to it on either side, the halo. For the first and last rank one of these is the plate's
// edge, which nobody updates. Gives the same numbers as laplace.py.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <staithe/mpi.hpp>
#include <staithe/staithe.hpp>

namespace {

struct Field {
    std::int64_t rows;
    std::int64_t columns;
    std::vector<double> values;

    Field(std::int64_t rows_, std::int64_t columns_) : rows(rows_), columns(columns_), values(rows * columns) {}
    double* row(std::int64_t i) { return values.data() + i * columns; }
};

void exchange_halos(Field& field, const staithe::Group& group) {
    const int above = group.rank > 0 ? group.rank - 1 : MPI_PROC_NULL;
    const int below = group.rank + 1 < group.size ? group.rank + 1 : MPI_PROC_NULL;
    const int count = static_cast<int>(field.columns);
    const std::int64_t last = field.rows - 1;
    MPI_Sendrecv(field.row(1), count, MPI_DOUBLE, above, 0, field.row(last), count, MPI_DOUBLE, below, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(field.row(last - 1), count, MPI_DOUBLE, below, 0, field.row(0), count, MPI_DOUBLE, above, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/// Every point inside becomes the mean of its four neighbours.
void relax(Field& field, Field& relaxed) {
    for (std::int64_t i = 1; i < field.rows - 1; ++i) {
        const double* above = field.row(i - 1);
        const double* here = field.row(i);
        const double* below = field.row(i + 1);
        double* mean = relaxed.row(i);
        for (std::int64_t j = 1; j < field.columns - 1; ++j) {
            mean[j] = 0.25 * (above[j] + below[j] + here[j - 1] + here[j + 1]);
        }
    }
}

void simulate(std::int64_t points, std::int64_t sweeps, std::int64_t every) {
    const staithe::Group group = staithe::group(MPI_COMM_WORLD);
    const std::int64_t first = points * group.rank / group.size;
    const std::int64_t last = points * (group.rank + 1) / group.size;

    Field field(last - first + 2, points + 2);
    if (group.rank == 0) {
        std::fill_n(field.row(0), field.columns, 1.0);
    }
    Field relaxed = field;

    staithe::Writer out("laplace", {.group = group, .attributes = {{"title", "Laplace's equation on a plate"}}});
    for (std::int64_t sweep = 0; sweep <= sweeps; ++sweep) {
        if (sweep % every == 0) {
            staithe::WriteStep step = out.begin_step();
            step.set_attribute("sweep", sweep);
            const auto all = staithe::ArrayView::row_major(field.row(0), staithe::Dtype::f64,  //
                                                           {field.rows, field.columns});
            const staithe::Box inside{{1, 1}, {last - first, points}};
            step.put("u", slice(all, staithe::Selection(inside)),
                     {.offset = {{first, 0}}, .shape = {{points, points}}});
            step.end();
        }
        exchange_halos(field, group);
        relax(field, relaxed);
        std::swap(field, relaxed);
    }
    out.close();
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    try {
        const auto option = [&](int i, std::int64_t otherwise) { return argc > i ? std::stoll(argv[i]) : otherwise; };
        simulate(option(1, 254), option(2, 40000), option(3, 200));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "laplace: %s\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 1);  // the other ranks would wait for this one's halos
    }
    MPI_Finalize();
}
