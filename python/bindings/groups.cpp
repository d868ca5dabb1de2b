#include "groups.hpp"

#include <nanobind/stl/string.h>

#include <staithe/group_contact.hpp>

namespace nb = nanobind;
using namespace nb::literals;

namespace staithe::python {

void bind_groups(nb::module_& module) {
    module.def("host_number", &host_number, "A number that differs between hosts.");
    module.def("make_group_contact", &make_group_contact,
               "How other ranks find this process, rank 0 of their group, which listens from now on. Empty if it does "
               "not.");
    module.def("take_group_contact", &take_group_contact, "contact"_a,
               "What make_group_contact gave in rank 0, in every other rank.");
}

}  // namespace staithe::python
