"""LED and LightSensor, Pen and Display over ROS, in their example worlds."""

from array import array
from pathlib import Path
from typing import Any

from geometry_msgs.msg import Twist
from PIL import Image as Picture
from sensor_msgs.msg import Illuminance, Image
from std_msgs.msg import Int32
from visualization_msgs.msg import MarkerArray

from sim_core.base.shipped import shipped_worlds


def start(simulate: Any, name: str, **options: Any) -> None:
    simulate(shipped_worlds()[f"devices/{name}"], controllers=False, **options)


def test_the_light_of_an_led_reaches_a_sensor(simulate: Any, client: Any) -> None:
    start(simulate, "led", mode="realtime")
    seen = client.listen(Illuminance, "/lamps/eye")
    client.until(lambda: seen, "a reading")
    dark = seen[-1].illuminance
    client.speak(Int32, "/lamps/rainbow").publish(Int32(data=0xFFFFFF))
    client.until(lambda: seen[-1].illuminance > dark, "more light")


def test_a_trace_is_shown_and_saved(simulate: Any, client: Any, tmp_path: Path) -> None:
    params = tmp_path / "params.yaml"
    file = tmp_path / "drawn.png"
    params.write_text(f"odesim:\n  ros__parameters:\n    trace_file: {file}\n")
    start(simulate, "pen", mode="realtime", speed=4.0, params=[str(params)])
    arrays = client.listen(MarkerArray, "/odesim/markers", latched=True)
    message = Twist()
    message.linear.x, message.angular.z = 0.2, 0.5
    client.speak(Twist, "/turtle/cmd_vel").publish(message)
    client.until(
        lambda: any(m.ns == "turtle/pen trace" and len(m.points) > 100 for a in arrays for m in a.markers),
        "a line in the markers",
    )
    answer = client.call("save_traces")
    assert answer.success, answer.message
    assert str(file) in answer.message
    assert max(Picture.open(file).size) == 1000


def test_a_picture_is_shown_on_a_display(simulate: Any, client: Any) -> None:
    start(simulate, "display", mode="realtime")
    shown = client.listen(Image, "/face/screen/image_color")
    client.until(lambda: shown, "the black screen")
    assert set(shown[0].data[:3]) == {0}
    picture = Image(encoding="rgb8", width=1, height=1, step=3, data=array("B", [10, 20, 30]))
    client.speak(Image, "/face/screen/image").publish(picture)
    client.until(lambda: list(shown[-1].data[:4]) == [10, 20, 30, 255], "the picture")
    assert (shown[-1].encoding, shown[-1].header.frame_id) == ("rgba8", "face/screen")
