"""The topics follow changes of the world."""

from ros_bridge.parameters.parameters import build_parameters
from ros_bridge.recorder.fingerprint import Fingerprint
from ros_bridge.recorder.player import ReplayedWorld
from sim_core.model.device_spec import device_names
from sim_core.scene import parse_scene

WHEEL = """HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 0 %g 0 }
  device [ RotationalMotor { name "%s" } ]
  endPoint DEF WHEEL Solid { translation 0 %g 0 rotation 1 0 0 1.5707963267948966
    boundingObject Cylinder { radius 0.1 height 0.02 } } }"""
WHEELS = WHEEL % (0.2, "left", 0.2) + WHEEL % (-0.2, "right", -0.2)
WORLD = f"""#VRML_SIM R2025a utf8
Robot {{ name "cart" controller "<none>" children [ {WHEELS} ] }}"""


def test_a_cart_whose_wheel_is_put_elsewhere_is_driven_by_no_twist() -> None:
    scene = parse_scene(WORLD, "cart.wbt")
    run = ReplayedWorld(scene, build_parameters([], device_names(scene)), Fingerprint().make_port)
    assert "/cart/cmd_vel" in run.inputs
    run.sim.supervisor.set("WHEEL", "translation", (0.3, 0.2, 0.0))
    assert "/cart/cmd_vel" not in run.inputs and "/cart/joint_command" in run.inputs
    run.session.reset()
    assert "/cart/cmd_vel" in run.inputs
