@cython.no_gc_clear  # its joints must be told before it ends
cdef class JointGroup:
    """Joints that are destroyed together. It keeps them alive."""

    cdef dJointGroupID gid
    cdef list joints
    cdef object __weakref__

    def __cinit__(self):
        self.gid = dJointGroupCreate(0)
        self.joints = []

    def __init__(self):
        pass

    def __dealloc__(self):
        if self.gid is not NULL:
            forget_joints(self)
            dJointGroupDestroy(self.gid)

    def empty(self):
        """Destroy the joints."""
        forget_joints(self)
        dJointGroupEmpty(self.gid)


cdef void forget_joints(JointGroup group) noexcept:
    """Tell the joints of a group that they are destroyed, before they are."""
    cdef Joint joint
    for joint in group.joints or ():
        dJointSetFeedback(joint.jid, NULL)
        joint.jid = NULL
    group.joints = []


@cython.no_gc_clear  # the world must be there until the joint is destroyed
cdef class Joint:
    """What all joints have in common. Other attributes can be set as on any Python object.

    A joint ends with its last reference; one of a group, when the group is emptied or ends. After that its methods
    raise ValueError.
    """

    cdef dJointID jid
    cdef World world
    cdef dJointFeedback* feedback
    cdef Body body1
    cdef Body body2
    cdef dict __dict__
    cdef object __weakref__

    def __init__(self, *arguments, **named):
        if self.jid is NULL:
            raise NotImplementedError("Joint is the base of all joints: make one of a kind, such as HingeJoint")

    def __dealloc__(self):
        if self.jid is not NULL:
            dJointSetFeedback(self.jid, NULL)
            dJointDestroy(self.jid)  # a joint of a group is left to the group
        free(self.feedback)

    def attach(self, Body body1, Body body2):
        """Connect two bodies; None is the world."""
        if body1 is body2 and body1 is not None:
            raise ValueError("a joint cannot connect a body with itself")
        dJointAttach(alive(self), id_of(body1), id_of(body2))
        self.body1, self.body2 = body1, body2

    def getBody(self, int index):
        """Return the first (0) or second (1) body; None is the world."""
        if not 0 <= index <= 1:
            raise IndexError(f"body of a joint: found {index}, expected 0 or 1")
        return self.body2 if index else self.body1

    def setFeedback(self, bint release=False):
        """Measure what the joint does to its bodies from now on (True), or no more."""
        cdef dJointID joint = alive(self)
        if release and self.feedback is NULL:
            self.feedback = <dJointFeedback*>calloc(1, sizeof(dJointFeedback))
            if self.feedback is NULL:
                raise MemoryError
        elif not release:
            free(self.feedback)
            self.feedback = NULL
        dJointSetFeedback(joint, self.feedback)

    def getFeedback(self):
        """Return the force and torque on the first body and on the second in the last step; None: not measured."""
        cdef dJointFeedback* found = self.feedback
        if found is NULL:
            return None
        return triple(found.f1), triple(found.t1), triple(found.f2), triple(found.t2)


cdef inline dBodyID id_of(Body body):
    return NULL if body is None else body.bid


cdef inline dJointID alive(Joint joint) except NULL:
    """The address of ODE's joint, as long as there is one."""
    if joint.jid is NULL:
        raise ValueError("the joint is destroyed: its group was emptied")
    return joint.jid


cdef inline dJointGroupID join(Joint joint, World world, JointGroup group):
    """Note the world and the group of a joint that is about to be made."""
    joint.world = world
    if group is None:
        return NULL
    group.joints.append(joint)
    return group.gid
