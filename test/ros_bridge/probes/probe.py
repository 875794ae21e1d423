"""Touches each group of devices and prints what it reads; probe.c and probe.cpp do the same."""

import os

from controller import Motion, Speaker, Supervisor
from controller.ansi_codes import AnsiCodes
from vehicle import Car

STEP = 8


def tell(what, *values):
    print(what, *(value if isinstance(value, str) else repr(float(value)) for value in values))


def steps(robot, count):
    for _ in range(count):
        robot.step(STEP)


def sense(robot):
    names = (
        "gps",
        "imu",
        "gyro",
        "accelerometer",
        "compass",
        "altimeter",
        "distance",
        "light",
        "touch",
        "radar",
    )
    d = {name: robot.getDevice(name) for name in (*names, "connector", "gripper", "receiver")}
    for name in names:
        d[name].enable(STEP)
    d["connector"].enablePresence(STEP)
    d["gripper"].enablePresence(STEP)
    d["receiver"].enable(STEP)
    d["connector"].lock()
    d["gripper"].turnOn()
    robot.batterySensorEnable(STEP)
    tell("before", d["gps"].getValues()[0], robot.batterySensorGetValue())
    steps(robot, 3)
    tell("gps", *d["gps"].getValues(), d["gps"].getSpeed(), *d["gps"].getSpeedVector())
    tell("coordinates", d["gps"].getCoordinateSystem(), d["gps"].convertToDegreesMinutesSeconds(-7.5125))
    tell("imu", *d["imu"].getRollPitchYaw(), *d["imu"].getQuaternion(), d["imu"].getNoise())
    tell("gyro", *d["gyro"].getValues(), *d["gyro"].getLookupTable(), len(d["gyro"].getLookupTable()) // 3)
    tell("accelerometer", *d["accelerometer"].getValues())
    tell("compass", *d["compass"].getValues(), d["altimeter"].getValue())
    ds = d["distance"]
    tell("distance", ds.getValue(), ds.getMaxValue(), ds.getMinValue(), ds.getAperture(), ds.getType())
    tell("light", d["light"].getValue(), d["touch"].getValue(), d["touch"].getType())
    radar = d["radar"]
    tell(
        "radar",
        radar.getNumberOfTargets(),
        radar.getMinRange(),
        radar.getHorizontalFov(),
        radar.getVerticalFov(),
    )
    for each in radar.getTargets():
        tell("target", each.distance, each.received_power, each.speed, each.azimuth)
    tell(
        "held",
        d["connector"].getPresence(),
        d["connector"].isLocked(),
        d["gripper"].isOn(),
        d["gripper"].getPresence(),
    )
    receiver = d["receiver"]
    tell(
        "heard",
        receiver.getQueueLength(),
        receiver.getString(),
        receiver.getSignalStrength(),
        receiver.getChannel(),
    )
    receiver.nextPacket()
    tell(
        "battery",
        robot.batterySensorGetValue(),
        robot.batterySensorGetSamplingPeriod(),
        receiver.getQueueLength(),
    )


def see(robot):
    camera, depths, lidar = (robot.getDevice(name) for name in ("camera", "depths", "lidar"))
    camera.recognitionEnable(STEP)
    camera.enableRecognitionSegmentation()
    camera.setExposure(2.0)
    camera.setFov(0.8)
    camera.setFocalDistance(1.5)
    depths.enable(STEP)
    lidar.enable(STEP)
    lidar.enablePointCloud()
    steps(robot, 3)
    width, height, image = camera.getWidth(), camera.getHeight(), camera.getImage()
    tell("camera", width, height, camera.getFov(), camera.getMinFov(), camera.getMaxFov(), camera.getNear())
    tell(
        "optics",
        camera.getExposure(),
        camera.getFocalDistance(),
        camera.getFocalLength(),
        camera.getMinFocalDistance(),
        camera.getMaxFocalDistance(),
    )
    tell(
        "pixel",
        camera.imageGetRed(image, width, 4, 2),
        camera.imageGetGreen(image, width, 4, 2),
        camera.imageGetBlue(image, width, 4, 2),
        camera.imageGetGray(image, width, 4, 2),
        sum(image),
    )
    tell(
        "recognition",
        camera.hasRecognition(),
        camera.getRecognitionNumberOfObjects(),
        camera.hasRecognitionSegmentation(),
        sum(camera.getRecognitionSegmentationImage()),
    )
    for each in camera.getRecognitionObjects():
        tell(
            "object",
            each.model,
            *each.position,
            *each.orientation,
            *each.size,
            *each.position_on_image,
            *each.size_on_image,
            each.number_of_colors,
            *each.colors,
        )
        tell("id", each.id == robot.getFromDef("BOX").getId())
    tell(
        "depths",
        depths.getWidth(),
        depths.getHeight(),
        depths.getFov(),
        depths.getMinRange(),
        depths.getMaxRange(),
        *depths.getRangeImage(),
    )
    tell(
        "lidar",
        lidar.getHorizontalResolution(),
        lidar.getNumberOfLayers(),
        lidar.getNumberOfPoints(),
        lidar.getFov(),
        lidar.getVerticalFov(),
        lidar.getMinRange(),
        lidar.getMaxRange(),
        lidar.getFrequency(),
        *lidar.getRangeImage(),
        *lidar.getLayerRangeImage(1),
    )
    for each in lidar.getLayerPointCloud(1):
        tell("point", each.x, each.y, each.z, each.layer_id)


def act(robot):
    motor, lift, display, led, pen = (
        robot.getDevice(name) for name in ("motor", "lift", "display", "led", "pen")
    )
    sensor, brake = motor.getPositionSensor(), motor.getBrake()
    sensor.enable(STEP)
    tell(
        "limits",
        motor.getMinPosition(),
        motor.getMaxPosition(),
        motor.getMaxVelocity(),
        motor.getMaxTorque(),
        motor.getVelocity(),
        motor.getAcceleration(),
        motor.getMultiplier(),
        motor.getTargetPosition(),
    )
    motor.setPosition(9.0)
    motor.setVelocity(2.0)
    motor.setAcceleration(50.0)
    motor.setAvailableTorque(5.0)
    motor.setControlPID(8.0, 0.0, 0.0)
    motor.enableTorqueFeedback(STEP)
    lift.setPosition(0.1)
    brake.setDampingConstant(0.01)
    led.set(3)
    pen.setInkColor(0x102030, 0.5)
    pen.write(True)
    steps(robot, 5)
    tell(
        "motor",
        sensor.getValue(),
        motor.getTargetPosition(),
        motor.getVelocity(),
        motor.getAcceleration(),
        motor.getAvailableTorque(),
        motor.getTorqueFeedback(),
        motor.getType(),
        lift.getType(),
    )
    tell(
        "joint",
        sensor.getMotor().name,
        sensor.getBrake().name,
        brake.getPositionSensor().name,
        brake.getType(),
        lift.getBrake() is None,
        led.get(),
        motor.getNodeType(),
        lift.model,
    )
    display.setColor(0xFF0000)
    display.fillRectangle(0, 0, 8, 4)
    display.setColor(0x00FF00)
    display.setAlpha(0.5)
    display.setOpacity(0.7)
    display.setFont("Arial", 8, True)
    display.drawPixel(1, 1)
    display.drawLine(0, 0, 7, 3)
    display.drawRectangle(1, 1, 3, 2)
    display.drawOval(4, 2, 2, 1)
    display.fillOval(4, 2, 1, 1)
    display.drawPolygon([0, 3, 3], [0, 0, 3])
    display.fillPolygon([5, 7, 7], [0, 0, 2])
    display.drawText("a", 0, 0)
    made = display.imageNew(bytes(range(12)), display.RGB, 2, 2)
    copied = display.imageCopy(0, 0, 4, 4)
    display.imagePaste(made, 6, 2, False)
    display.imagePaste(copied, 2, 0, True)
    display.imageSave(None, "shown.png")
    display.imageDelete(made)
    steps(robot, 1)
    loaded = display.imageLoad("shown.png")
    tell(
        "display",
        display.getWidth(),
        display.getHeight(),
        loaded is not None,
        display.imageLoad("gone.png") is None,
    )
    speaker = robot.getDevice("speaker")
    tell("silent", speaker.isSoundPlaying("beep.wav"))
    Speaker.playSound(speaker, speaker, "beep.wav", 1.0, 1.0, 0.0, True)
    tell(
        "plays",
        speaker.isSoundPlaying("beep.wav"),
        speaker.isSoundPlaying("other.wav"),
        speaker.isSoundPlaying(),
    )
    steps(robot, 2)
    playing = speaker.isSoundPlaying("beep.wav")
    speaker.stop("beep.wav")
    speaker.speak("hello", 1.0)
    tell("stops", playing, speaker.isSoundPlaying("beep.wav"), speaker.isSpeaking(), speaker.getLanguage())
    motion = Motion("wave.motion")
    motion.play()
    steps(robot, 2)
    tell("motion", motion.isValid(), motion.getDuration(), motion.getTime(), motion.isOver())


def supervise(robot):
    box, car, root = robot.getFromDef("BOX"), robot.getFromDef("CAR"), robot.getRoot()
    tell(
        "node",
        box.getTypeName(),
        box.getBaseTypeName(),
        box.getDef(),
        box.getType(),
        box.isProto(),
        robot.getFromId(box.getId()) == box,
        box.getParentNode() == root,
        robot.getSelf().getTypeName(),
    )
    tell("device", robot.getFromDevice(robot.getDevice("gps")).getTypeName(), robot.getSelected() is None)
    tell("pose", *box.getPose(), *box.getPose(robot.getSelf()), *box.getOrientation(), *box.getCenterOfMass())
    place = box.getField("translation")
    place.setSFVec3f([3.0, 0.5, 0.5])
    tell(
        "place", *place.getSFVec3f(), place.getName(), place.getTypeName(), place.getType(), place.getCount()
    )
    colors = box.getField("recognitionColors")
    colors.insertMFColor(1, [0.0, 1.0, 0.0])
    colors.setMFColor(-1, [0.25, 0.5, 0.75])
    tell("colors", colors.getCount(), *colors.getMFColor(0), *colors.getMFColor(1), *colors.getMFColor(2))
    colors.removeMF(0)
    tell("fewer", colors.getCount(), *colors.getMFColor(0))
    proto, number = car.getProto(), car.getNumberOfFields()
    tell(
        "proto",
        proto.getTypeName(),
        proto.isDerived(),
        proto.getNumberOfFields() == number,
        proto.getField("wheelbase").getSFFloat(),
        proto.getFieldByIndex(0).getName(),
        proto.getField("wheelbase").getActualField().getName(),
        car.getFieldByIndex(1).getName(),
        car.getBaseNodeField("children").getCount(),
        car.isProto(),
    )
    children = root.getField("children")
    count = children.getCount()
    children.importMFNodeFromString(
        -1,
        'DEF BALL Solid { name "ball" translation 9 9 9 physics Physics { mass 2 '
        "density -1 } boundingObject Sphere { radius 0.1 } }",
    )
    ball = children.getMFNode(count)
    ball.addForce([0.0, 0.0, 2.0 * 9.81 + 10.0], False)
    ball.addForceWithOffset([1.0, 0.0, 0.0], [0.0, 0.0, 0.01], True)
    ball.addTorque([0.0, 0.0, 0.01], False)
    steps(robot, 1)
    tell("ball", *ball.getPosition(), *ball.getVelocity(), ball.getStaticBalance())
    ball.saveState("here")
    ball.setVelocity([1.0, 2.0, 3.0, 0.0, 0.0, 1.0])
    ball.getNumberOfContactPoints(True)
    steps(robot, 1)
    tell("thrown", *ball.getVelocity(), len(ball.getContactPoints()), len(ball.exportString()) > 20)
    ball.resetPhysics()
    ball.loadState("here")
    tell("back", *ball.getPosition())
    ball.remove()
    robot.getFromDevice(robot.getDevice("motor")).getParentNode()
    tell("gone", children.getCount() - count, robot.simulationGetMode(), robot.worldSave("saved.wbt"))
    robot.setLabel(1, "label", 0.1, 0.1, 0.1, 0xFF0000, 0.0, "Arial")
    robot.simulationResetPhysics()
    tell("movie", robot.movieIsReady(), robot.movieFailed(), robot.movieGetStatus())


def talk(robot):
    tell(
        "robot",
        robot.getName(),
        robot.getModel(),
        robot.getControllerName(),
        robot.getControllerArguments(),
        robot.getBasicTimeStep(),
        robot.getSupervisor(),
        robot.getSynchronization(),
        robot.getCustomData(),
    )
    robot.setCustomData('said "so"')
    tell("custom", robot.getCustomData(), robot.getDevice("gps").getName(), robot.getNumberOfDevices())
    tell("urdf", len(robot.getUrdf()), len(AnsiCodes.RED_FOREGROUND))
    keyboard = robot.getKeyboard()
    tell("no_key", keyboard.getKey())
    mouse, joystick = robot.getMouse(), robot.getJoystick()
    for device in (keyboard, mouse, joystick):
        device.enable(STEP)
    mouse.enable3dPosition()
    tell("no_joystick", joystick.isConnected(), mouse.getState().left, joystick.getNumberOfAxes())
    print("waits", flush=True)
    key = -1
    while robot.step(STEP) != -1:
        key = keyboard.getKey()
        if key != -1 and mouse.getState().left and joystick.isConnected():
            break
    tell("keys", key, keyboard.getKey(), keyboard.getKey(), robot.EVENT_KEYBOARD)
    state = mouse.getState()
    tell("mouse", state.left, state.middle, state.right, state.u, state.v, state.x, state.y, state.z)
    tell("joystick", joystick.getNumberOfAxes(), joystick.getAxisValue(0), joystick.getAxisValue(1))
    tell("buttons", joystick.getPressedButton(), joystick.getPressedButton(), joystick.getPressedButton())


def drive():
    car = Car()
    gps = car.getDevice("gps")
    gps.enable(STEP)
    car.getDevice("emitter").send(b"hello\0")
    tell(
        "car",
        car.getType(),
        car.getEngineType(),
        car.getWheelbase(),
        car.getTrackFront(),
        car.getTrackRear(),
        car.getFrontWheelRadius(),
        car.getRearWheelRadius(),
        car.getGearNumber(),
        car.isInitialisationPossible(),
        car.getControlMode(),
    )
    car.setSteeringAngle(0.3)
    car.setCruisingSpeed(20.0)
    car.setIndicator(car.INDICATOR_RIGHT)
    car.setDippedBeams(True)
    car.setAntifogLights(True)
    car.setHazardFlashers(False)
    for _ in range(30):
        car.step()
    tell(
        "cruises",
        car.getCurrentSpeed(),
        car.getTargetCruisingSpeed(),
        car.getSteeringAngle(),
        *(car.getWheelSpeed(k) for k in range(4)),
        *(car.getWheelEncoder(k) for k in range(4)),
        car.getRightSteeringAngle(),
        car.getLeftSteeringAngle(),
    )
    tell(
        "lights",
        car.getIndicator(),
        car.getDippedBeams(),
        car.getAntifogLights(),
        car.getHazardFlashers(),
        car.getBrakeLights(),
        car.getBackwardsLights(),
        car.getIndicatorPeriod(),
        car.getWiperMode(),
    )
    car.setGear(1)
    car.setThrottle(0.5)
    car.enableLimitedSlipDifferential(True)
    for _ in range(30):
        car.step()
    tell(
        "pushes", car.getCurrentSpeed(), car.getRpm(), car.getGear(), car.getThrottle(), car.getControlMode()
    )
    car.setSteeringAngle(0.0)
    car.setThrottle(0.0)
    car.setBrakeIntensity(0.5)
    for _ in range(10):
        car.step()
    tell(
        "brakes",
        car.getCurrentSpeed(),
        car.getBrakeIntensity(),
        car.getBrakeLights(),
        car.getIndicator(),
        *gps.getValues(),
    )


if os.environ["ODESIM_ROBOT"] == "car":
    drive()
else:
    me = Supervisor()
    sense(me)
    see(me)
    act(me)
    supervise(me)
    talk(me)
