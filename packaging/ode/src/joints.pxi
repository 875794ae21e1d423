cdef class BallJoint(Joint):
    """Holds a point of two bodies together."""

    def __cinit__(self, World world not None, JointGroup jointgroup=None):
        self.jid = dJointCreateBall(world.wid, join(self, world, jointgroup))

    def setAnchor(self, pos):
        """Set the point that the bodies share."""
        dJointSetBallAnchor(alive(self), pos[0], pos[1], pos[2])

    def getAnchor(self):
        """Return the shared point, as the first body has it."""
        cdef dVector3 result
        dJointGetBallAnchor(alive(self), result)
        return triple(result)

    def getAnchor2(self):
        """Return the shared point, as the second body has it."""
        cdef dVector3 result
        dJointGetBallAnchor2(alive(self), result)
        return triple(result)

    def setParam(self, int param, double value):
        """Set a parameter, ParamVel and so on."""
        dJointSetBallParam(alive(self), param, value)

    def getParam(self, int param):
        """Return a parameter, ParamVel and so on."""
        return dJointGetBallParam(alive(self), param)


cdef class HingeJoint(Joint):
    """Lets two bodies turn about an axis."""

    def __cinit__(self, World world not None, JointGroup jointgroup=None):
        self.jid = dJointCreateHinge(world.wid, join(self, world, jointgroup))

    def setAnchor(self, pos):
        """Set the point that the bodies share."""
        dJointSetHingeAnchor(alive(self), pos[0], pos[1], pos[2])

    def getAnchor(self):
        """Return the shared point, as the first body has it."""
        cdef dVector3 result
        dJointGetHingeAnchor(alive(self), result)
        return triple(result)

    def getAnchor2(self):
        """Return the shared point, as the second body has it."""
        cdef dVector3 result
        dJointGetHingeAnchor2(alive(self), result)
        return triple(result)

    def setAxis(self, axis):
        """Set the axis."""
        dJointSetHingeAxis(alive(self), axis[0], axis[1], axis[2])

    def getAxis(self):
        """Return the axis."""
        cdef dVector3 result
        dJointGetHingeAxis(alive(self), result)
        return triple(result)

    def getAngle(self):
        """Return the angle, -π to π, 0 where the axis was set."""
        return dJointGetHingeAngle(alive(self))

    def getAngleRate(self):
        """Return the angular velocity."""
        return dJointGetHingeAngleRate(alive(self))

    def addTorque(self, double torque):
        """Add a torque about the axis, for the next step."""
        dJointAddHingeTorque(alive(self), torque)

    def setParam(self, int param, double value):
        """Set a parameter, ParamVel and so on."""
        dJointSetHingeParam(alive(self), param, value)

    def getParam(self, int param):
        """Return a parameter, ParamVel and so on."""
        return dJointGetHingeParam(alive(self), param)


cdef class SliderJoint(Joint):
    """Lets two bodies slide along an axis."""

    def __cinit__(self, World world not None, JointGroup jointgroup=None):
        self.jid = dJointCreateSlider(world.wid, join(self, world, jointgroup))

    def setAxis(self, axis):
        """Set the axis."""
        dJointSetSliderAxis(alive(self), axis[0], axis[1], axis[2])

    def getAxis(self):
        """Return the axis."""
        cdef dVector3 result
        dJointGetSliderAxis(alive(self), result)
        return triple(result)

    def getPosition(self):
        """Return how far it is out, 0 where the axis was set."""
        return dJointGetSliderPosition(alive(self))

    def getPositionRate(self):
        """Return the velocity."""
        return dJointGetSliderPositionRate(alive(self))

    def addForce(self, double force):
        """Add a force along the axis, for the next step."""
        dJointAddSliderForce(alive(self), force)

    def setParam(self, int param, double value):
        """Set a parameter, ParamVel and so on."""
        dJointSetSliderParam(alive(self), param, value)

    def getParam(self, int param):
        """Return a parameter, ParamVel and so on."""
        return dJointGetSliderParam(alive(self), param)


cdef class UniversalJoint(Joint):
    """Lets two bodies turn about two axes that stay at right angles."""

    def __cinit__(self, World world not None, JointGroup jointgroup=None):
        self.jid = dJointCreateUniversal(world.wid, join(self, world, jointgroup))

    def setAnchor(self, pos):
        """Set the point that the bodies share."""
        dJointSetUniversalAnchor(alive(self), pos[0], pos[1], pos[2])

    def getAnchor(self):
        """Return the shared point, as the first body has it."""
        cdef dVector3 result
        dJointGetUniversalAnchor(alive(self), result)
        return triple(result)

    def getAnchor2(self):
        """Return the shared point, as the second body has it."""
        cdef dVector3 result
        dJointGetUniversalAnchor2(alive(self), result)
        return triple(result)

    def setAxis1(self, axis):
        """Set the axis on the first body."""
        dJointSetUniversalAxis1(alive(self), axis[0], axis[1], axis[2])

    def getAxis1(self):
        """Return the axis on the first body."""
        cdef dVector3 result
        dJointGetUniversalAxis1(alive(self), result)
        return triple(result)

    def setAxis2(self, axis):
        """Set the axis on the second body."""
        dJointSetUniversalAxis2(alive(self), axis[0], axis[1], axis[2])

    def getAxis2(self):
        """Return the axis on the second body."""
        cdef dVector3 result
        dJointGetUniversalAxis2(alive(self), result)
        return triple(result)

    def getAngle1(self):
        """Return the angle about the first axis."""
        return dJointGetUniversalAngle1(alive(self))

    def getAngle2(self):
        """Return the angle about the second axis."""
        return dJointGetUniversalAngle2(alive(self))

    def getAngle1Rate(self):
        """Return the angular velocity about the first axis."""
        return dJointGetUniversalAngle1Rate(alive(self))

    def getAngle2Rate(self):
        """Return the angular velocity about the second axis."""
        return dJointGetUniversalAngle2Rate(alive(self))

    def addTorques(self, double torque1, double torque2):
        """Add torques about the two axes, for the next step."""
        dJointAddUniversalTorques(alive(self), torque1, torque2)

    def setParam(self, int param, double value):
        """Set a parameter, ParamVel and so on."""
        dJointSetUniversalParam(alive(self), param, value)

    def getParam(self, int param):
        """Return a parameter, ParamVel and so on."""
        return dJointGetUniversalParam(alive(self), param)


cdef class Hinge2Joint(Joint):
    """Two hinges, one after the other: a wheel that is steered. It needs two bodies."""

    def __cinit__(self, World world not None, JointGroup jointgroup=None):
        self.jid = dJointCreateHinge2(world.wid, join(self, world, jointgroup))

    def attach(self, Body body1, Body body2):
        """Connect two bodies."""
        if (body1 is None) != (body2 is None):
            raise ValueError("a Hinge2Joint connects two bodies")
        Joint.attach(self, body1, body2)

    def setAnchor(self, pos):
        """Set the point that the bodies share."""
        dJointSetHinge2Anchor(alive(self), pos[0], pos[1], pos[2])

    def getAnchor(self):
        """Return the shared point, as the first body has it."""
        cdef dVector3 result
        dJointGetHinge2Anchor(alive(self), result)
        return triple(result)

    def getAnchor2(self):
        """Return the shared point, as the second body has it."""
        cdef dVector3 result
        dJointGetHinge2Anchor2(alive(self), result)
        return triple(result)

    def setAxis1(self, axis):
        """Set the axis on the first body."""
        dJointSetHinge2Axis1(alive(self), axis[0], axis[1], axis[2])

    def getAxis1(self):
        """Return the axis on the first body."""
        cdef dVector3 result
        dJointGetHinge2Axis1(alive(self), result)
        return triple(result)

    def setAxis2(self, axis):
        """Set the axis on the second body."""
        dJointSetHinge2Axis2(alive(self), axis[0], axis[1], axis[2])

    def getAxis2(self):
        """Return the axis on the second body."""
        cdef dVector3 result
        dJointGetHinge2Axis2(alive(self), result)
        return triple(result)

    def getAngle1(self):
        """Return the angle about the first axis."""
        return dJointGetHinge2Angle1(alive(self))

    def getAngle1Rate(self):
        """Return the angular velocity about the first axis."""
        return dJointGetHinge2Angle1Rate(alive(self))

    def getAngle2Rate(self):
        """Return the angular velocity about the second axis."""
        return dJointGetHinge2Angle2Rate(alive(self))

    def addTorques(self, double torque1, double torque2):
        """Add torques about the two axes, for the next step."""
        dJointAddHinge2Torques(alive(self), torque1, torque2)

    def setParam(self, int param, double value):
        """Set a parameter, ParamVel and so on."""
        dJointSetHinge2Param(alive(self), param, value)

    def getParam(self, int param):
        """Return a parameter, ParamVel and so on."""
        return dJointGetHinge2Param(alive(self), param)


cdef class FixedJoint(Joint):
    """Holds two bodies as they are."""

    def __cinit__(self, World world not None, JointGroup jointgroup=None):
        self.jid = dJointCreateFixed(world.wid, join(self, world, jointgroup))

    def setFixed(self):
        """Note how the bodies are to each other now."""
        dJointSetFixed(alive(self))


cdef class ContactJoint(Joint):
    """Keeps two bodies from sinking into each other at a contact."""

    def __cinit__(self, World world not None, JointGroup jointgroup, Contact contact not None):
        self.jid = dJointCreateContact(world.wid, join(self, world, jointgroup), &contact.of_ode)


cdef class Plane2DJoint(Joint):
    """Keeps a body in the plane z = 0."""

    def __cinit__(self, World world not None, JointGroup jointgroup=None):
        self.jid = dJointCreatePlane2D(world.wid, join(self, world, jointgroup))

    def setXParam(self, int param, double value):
        """Set a parameter of the motion along x."""
        dJointSetPlane2DXParam(alive(self), param, value)

    def setYParam(self, int param, double value):
        """Set a parameter of the motion along y."""
        dJointSetPlane2DYParam(alive(self), param, value)

    def setAngleParam(self, int param, double value):
        """Set a parameter of the turning about z."""
        dJointSetPlane2DAngleParam(alive(self), param, value)
