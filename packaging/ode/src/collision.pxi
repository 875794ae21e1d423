cdef enum:
    MOST_CONTACTS = 150  # as in PyODE


cdef class Search:
    """A search for pairs that is under way: whom to tell, and what went wrong."""

    cdef object argument
    cdef object callback
    cdef object error

    def __cinit__(self, argument, callback):
        self.argument, self.callback = argument, callback

    cdef int end(self) except -1:
        if self.error is not None:
            raise self.error
        return 0


cdef void tell_pair(void* data, dGeomID first, dGeomID second) noexcept:
    cdef Search search = <Search>data
    if search.error is not None:
        return
    try:
        search.callback(search.argument, _geom_c2py_lut[<size_t>first], _geom_c2py_lut[<size_t>second])
    except BaseException as error:
        search.error = error


def collide(GeomObject geom1 not None, GeomObject geom2 not None):
    """Return where two geoms touch, as a list of at most 150 contacts."""
    cdef dContactGeom[MOST_CONTACTS] found
    cdef Contact contact
    cdef int index
    cdef int count = dCollide(geom1.gid, geom2.gid, MOST_CONTACTS, found, sizeof(dContactGeom))
    cdef list contacts = []
    for index in range(count):
        contact = Contact.__new__(Contact)
        contact.of_ode.geom = found[index]
        contacts.append(contact)
    return contacts


def collide2(GeomObject geom1 not None, GeomObject geom2 not None, arg, callback):
    """Call `callback(arg, a, b)` with each two geoms that may touch, a of geom1 and b of geom2, or the other way round.

    What the callback raises first is raised here, and the pairs after that are passed over.
    """
    cdef Search search = Search(arg, callback)
    dSpaceCollide2(geom1.gid, geom2.gid, <void*>search, tell_pair)
    search.end()
