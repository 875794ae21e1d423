/* Touches each group of devices and prints what it reads, with Webots' classes; probe.py and probe.c do the same. */
#include <cstring>
#include <iostream>
#include <sstream>
#include <webots/Brake.hpp>
#include <webots/Camera.hpp>
#include <webots/Connector.hpp>
#include <webots/Display.hpp>
#include <webots/DistanceSensor.hpp>
#include <webots/Keyboard.hpp>
#include <webots/Lidar.hpp>
#include <webots/Motor.hpp>
#include <webots/PositionSensor.hpp>
#include <webots/Speaker.hpp>
#include <webots/Supervisor.hpp>
#include <webots/utils/AnsiCodes.hpp>
#include <webots/utils/Motion.hpp>
#include <webots/vehicle/Car.hpp>

using namespace webots;

static const int STEP = 8;

/* Prints its values in one line when it ends. */
class Tell {
 public:
  explicit Tell(const std::string &what) {
    line_.precision(17);
    line_ << what;
  }
  ~Tell() { std::cout << line_.str() << std::endl; }
  template <class Value>
  Tell &operator<<(const Value &value) {
    line_ << " " << value;
    return *this;
  }
  template <class Value>
  Tell &all(const Value *values, int count) {
    for (int i = 0; i < count; i++) line_ << " " << static_cast<double>(values[i]);
    return *this;
  }

 private:
  std::ostringstream line_;
};

static void steps(Robot &robot, int count) {
  while (count--) robot.step(STEP);
}

static double sum(const unsigned char *bytes, int count) {
  double total = 0;
  for (int i = 0; i < count; i++) total += bytes[i];
  return total;
}

static void sense(Supervisor &robot) {
  GPS *gps = robot.getGPS("gps");
  InertialUnit *imu = robot.getInertialUnit("imu");
  Gyro *gyro = robot.getGyro("gyro");
  Accelerometer *accelerometer = robot.getAccelerometer("accelerometer");
  Compass *compass = robot.getCompass("compass");
  Altimeter *altimeter = robot.getAltimeter("altimeter");
  DistanceSensor *distance = robot.getDistanceSensor("distance");
  LightSensor *light = robot.getLightSensor("light");
  TouchSensor *touch = robot.getTouchSensor("touch");
  Radar *radar = robot.getRadar("radar");
  Connector *connector = robot.getConnector("connector");
  VacuumGripper *gripper = robot.getVacuumGripper("gripper");
  Receiver *receiver = robot.getReceiver("receiver");
  gps->enable(STEP);
  imu->enable(STEP);
  gyro->enable(STEP);
  accelerometer->enable(STEP);
  compass->enable(STEP);
  altimeter->enable(STEP);
  distance->enable(STEP);
  light->enable(STEP);
  touch->enable(STEP);
  radar->enable(STEP);
  connector->enablePresence(STEP);
  gripper->enablePresence(STEP);
  receiver->enable(STEP);
  connector->lock();
  gripper->turnOn();
  robot.batterySensorEnable(STEP);
  Tell("before") << gps->getValues()[0] << robot.batterySensorGetValue();
  steps(robot, 3);
  (Tell("gps").all(gps->getValues(), 3) << gps->getSpeed()).all(gps->getSpeedVector(), 3);
  Tell("coordinates") << gps->getCoordinateSystem() << GPS::convertToDegreesMinutesSeconds(-7.5125);
  Tell("imu").all(imu->getRollPitchYaw(), 3).all(imu->getQuaternion(), 4) << imu->getNoise();
  int rows = gyro->getLookupTableSize();
  Tell("gyro").all(gyro->getValues(), 3).all(gyro->getLookupTable(), 3 * rows) << rows;
  Tell("accelerometer").all(accelerometer->getValues(), 3);
  Tell("compass").all(compass->getValues(), 3) << altimeter->getValue();
  Tell("distance") << distance->getValue() << distance->getMaxValue() << distance->getMinValue()
                   << distance->getAperture() << distance->getType();
  Tell("light") << light->getValue() << touch->getValue() << touch->getType();
  Tell("radar") << radar->getNumberOfTargets() << radar->getMinRange() << radar->getHorizontalFov()
                << radar->getVerticalFov();
  for (int i = 0; i < radar->getNumberOfTargets(); i++) {
    const RadarTarget &target = radar->getTargets()[i];
    Tell("target") << target.distance << target.received_power << target.speed << target.azimuth;
  }
  Tell("held") << connector->getPresence() << connector->isLocked() << gripper->isOn() << gripper->getPresence();
  Tell("heard") << receiver->getQueueLength() << static_cast<const char *>(receiver->getData())
                << receiver->getSignalStrength() << receiver->getChannel();
  receiver->nextPacket();
  Tell("battery") << robot.batterySensorGetValue() << robot.batterySensorGetSamplingPeriod()
                  << receiver->getQueueLength();
}

static void see(Supervisor &robot) {
  Camera *camera = robot.getCamera("camera");
  RangeFinder *depths = robot.getRangeFinder("depths");
  Lidar *lidar = robot.getLidar("lidar");
  camera->recognitionEnable(STEP);
  camera->enableRecognitionSegmentation();
  camera->setExposure(2.0);
  camera->setFov(0.8);
  camera->setFocalDistance(1.5);
  depths->enable(STEP);
  lidar->enable(STEP);
  lidar->enablePointCloud();
  steps(robot, 3);
  int width = camera->getWidth(), height = camera->getHeight(), size = 4 * width * height;
  const unsigned char *image = camera->getImage();
  Tell("camera") << width << height << camera->getFov() << camera->getMinFov() << camera->getMaxFov()
                 << camera->getNear();
  Tell("optics") << camera->getExposure() << camera->getFocalDistance() << camera->getFocalLength()
                 << camera->getMinFocalDistance() << camera->getMaxFocalDistance();
  Tell("pixel") << int(Camera::imageGetRed(image, width, 4, 2)) << int(Camera::imageGetGreen(image, width, 4, 2))
                << int(Camera::imageGetBlue(image, width, 4, 2)) << int(Camera::imageGetGray(image, width, 4, 2))
                << sum(image, size);
  Tell("recognition") << camera->hasRecognition() << camera->getRecognitionNumberOfObjects()
                      << camera->hasRecognitionSegmentation() << sum(camera->getRecognitionSegmentationImage(), size);
  for (int i = 0; i < camera->getRecognitionNumberOfObjects(); i++) {
    const CameraRecognitionObject &object = camera->getRecognitionObjects()[i];
    ((Tell("object") << object.model).all(object.position, 3).all(object.orientation, 4).all(object.size, 2)
       .all(object.position_on_image, 2).all(object.size_on_image, 2) << object.number_of_colors)
      .all(object.colors, 3 * object.number_of_colors);
    Tell("id") << (object.id == robot.getFromDef("BOX")->getId());
  }
  (Tell("depths") << depths->getWidth() << depths->getHeight() << depths->getFov() << depths->getMinRange()
                  << depths->getMaxRange())
    .all(depths->getRangeImage(), depths->getWidth() * depths->getHeight());
  int row = lidar->getHorizontalResolution();
  (Tell("lidar") << row << lidar->getNumberOfLayers() << lidar->getNumberOfPoints() << lidar->getFov()
                 << lidar->getVerticalFov() << lidar->getMinRange() << lidar->getMaxRange() << lidar->getFrequency())
    .all(lidar->getRangeImage(), 2 * row)
    .all(lidar->getLayerRangeImage(1), row);
  for (int i = 0; i < row; i++) {
    const LidarPoint &point = lidar->getLayerPointCloud(1)[i];
    Tell("point") << double(point.x) << double(point.y) << double(point.z) << point.layer_id;
  }
}

static void act(Supervisor &robot) {
  Motor *motor = robot.getMotor("motor"), *lift = dynamic_cast<Motor *>(robot.getDevice("lift"));
  Display *display = robot.getDisplay("display");
  LED *led = robot.getLED("led");
  Pen *pen = robot.getPen("pen");
  Speaker *speaker = robot.getSpeaker("speaker");
  PositionSensor *sensor = motor->getPositionSensor();
  Brake *brake = motor->getBrake();
  sensor->enable(STEP);
  Tell("limits") << motor->getMinPosition() << motor->getMaxPosition() << motor->getMaxVelocity()
                 << motor->getMaxTorque() << motor->getVelocity() << motor->getAcceleration() << motor->getMultiplier()
                 << motor->getTargetPosition();
  motor->setPosition(9.0);
  motor->setVelocity(2.0);
  motor->setAcceleration(50.0);
  motor->setAvailableTorque(5.0);
  motor->setControlPID(8.0, 0.0, 0.0);
  motor->enableTorqueFeedback(STEP);
  lift->setPosition(0.1);
  brake->setDampingConstant(0.01);
  led->set(3);
  pen->setInkColor(0x102030, 0.5);
  pen->write(true);
  steps(robot, 5);
  Tell("motor") << sensor->getValue() << motor->getTargetPosition() << motor->getVelocity() << motor->getAcceleration()
                << motor->getAvailableTorque() << motor->getTorqueFeedback() << motor->getType() << lift->getType();
  Tell("joint") << sensor->getMotor()->getName() << sensor->getBrake()->getName()
                << brake->getPositionSensor()->getName() << brake->getType() << (lift->getBrake() == NULL) << led->get()
                << motor->getNodeType() << lift->getModel();
  display->setColor(0xFF0000);
  display->fillRectangle(0, 0, 8, 4);
  display->setColor(0x00FF00);
  display->setAlpha(0.5);
  display->setOpacity(0.7);
  display->setFont("Arial", 8, true);
  display->drawPixel(1, 1);
  display->drawLine(0, 0, 7, 3);
  display->drawRectangle(1, 1, 3, 2);
  display->drawOval(4, 2, 2, 1);
  display->fillOval(4, 2, 1, 1);
  const int x[] = {0, 3, 3, 5, 7, 7}, y[] = {0, 0, 3, 0, 0, 2};
  display->drawPolygon(x, y, 3);
  display->fillPolygon(x + 3, y + 3, 3);
  display->drawText("a", 0, 0);
  unsigned char pixels[12];
  for (int i = 0; i < 12; i++) pixels[i] = static_cast<unsigned char>(i);
  ImageRef *made = display->imageNew(2, 2, pixels, Display::RGB), *copied = display->imageCopy(0, 0, 4, 4);
  display->imagePaste(made, 6, 2);
  display->imagePaste(copied, 2, 0, true);
  display->imageSave(NULL, "shown.png");
  display->imageDelete(made);
  steps(robot, 1);
  ImageRef *loaded = display->imageLoad("shown.png");
  Tell("display") << display->getWidth() << display->getHeight() << (loaded != NULL)
                  << (display->imageLoad("gone.png") == NULL);
  display->imageDelete(loaded);
  display->imageDelete(copied);
  Tell("silent") << speaker->isSoundPlaying("beep.wav");
  Speaker::playSound(speaker, speaker, "beep.wav", 1.0, 1.0, 0.0, true);
  Tell("plays") << speaker->isSoundPlaying("beep.wav") << speaker->isSoundPlaying("other.wav")
                << speaker->isSoundPlaying("");
  steps(robot, 2);
  bool playing = speaker->isSoundPlaying("beep.wav");
  speaker->stop("beep.wav");
  speaker->speak("hello", 1.0);
  Tell("stops") << playing << speaker->isSoundPlaying("beep.wav") << speaker->isSpeaking() << speaker->getLanguage();
  Motion motion("wave.motion");
  motion.play();
  steps(robot, 2);
  Tell("motion") << motion.isValid() << motion.getDuration() << motion.getTime() << motion.isOver();
}

static void supervise(Supervisor &robot) {
  Node *box = robot.getFromDef("BOX"), *car = robot.getFromDef("CAR"), *root = robot.getRoot();
  Tell("node") << box->getTypeName() << box->getBaseTypeName() << box->getDef() << box->getType() << box->isProto()
               << (robot.getFromId(box->getId()) == box) << (box->getParentNode() == root)
               << robot.getSelf()->getTypeName();
  Tell("device") << robot.getFromDevice(robot.getDevice("gps"))->getTypeName() << (robot.getSelected() == NULL);
  {
    Tell line("pose");
    line.all(box->getPose(), 16);
    line.all(box->getPose(robot.getSelf()), 16);
    line.all(box->getOrientation(), 9);
    line.all(box->getCenterOfMass(), 3);
  }
  Field *place = box->getField("translation");
  const double there[] = {3.0, 0.5, 0.5};
  place->setSFVec3f(there);
  Tell("place").all(place->getSFVec3f(), 3) << place->getName() << place->getTypeName() << place->getType()
                                            << place->getCount();
  Field *colors = box->getField("recognitionColors");
  const double green[] = {0.0, 1.0, 0.0}, blue[] = {0.25, 0.5, 0.75};
  colors->insertMFColor(1, green);
  colors->setMFColor(-1, blue);
  {
    Tell line("colors");
    line << colors->getCount();
    for (int i = 0; i < 3; i++) line.all(colors->getMFColor(i), 3);
  }
  colors->removeMF(0);
  (Tell("fewer") << colors->getCount()).all(colors->getMFColor(0), 3);
  Proto *proto = car->getProto();
  Tell("proto") << proto->getTypeName() << proto->isDerived()
                << (proto->getNumberOfFields() == car->getNumberOfFields())
                << proto->getField("wheelbase")->getSFFloat() << proto->getFieldByIndex(0)->getName()
                << proto->getField("wheelbase")->getActualField()->getName() << car->getFieldByIndex(1)->getName()
                << car->getBaseNodeField("children")->getCount() << car->isProto();
  Field *children = root->getField("children");
  int count = children->getCount();
  children->importMFNodeFromString(-1, "DEF BALL Solid { name \"ball\" translation 9 9 9 physics Physics { mass 2 "
                                       "density -1 } boundingObject Sphere { radius 0.1 } }");
  Node *ball = children->getMFNode(count);
  const double force[] = {0.0, 0.0, 2.0 * 9.81 + 10.0}, side[] = {1.0, 0.0, 0.0}, above[] = {0.0, 0.0, 0.01};
  ball->addForce(force, false);
  ball->addForceWithOffset(side, above, true);
  ball->addTorque(above, false);
  steps(robot, 1);
  {
    Tell line("ball");
    line.all(ball->getPosition(), 3);
    line.all(ball->getVelocity(), 6) << ball->getStaticBalance();
  }
  ball->saveState("here");
  const double velocity[] = {1.0, 2.0, 3.0, 0.0, 0.0, 1.0};
  ball->setVelocity(velocity);
  ball->getNumberOfContactPoints(true);
  steps(robot, 1);
  int touching;
  ball->getContactPoints(false, &touching);
  Tell("thrown").all(ball->getVelocity(), 6) << touching << (ball->exportString().size() > 20);
  ball->resetPhysics();
  ball->loadState("here");
  Tell("back").all(ball->getPosition(), 3);
  ball->remove();
  robot.getFromDevice(robot.getDevice("motor"))->getParentNode();
  Tell("gone") << children->getCount() - count << robot.simulationGetMode() << robot.worldSave("saved.wbt");
  robot.setLabel(1, "label", 0.1, 0.1, 0.1, 0xFF0000);
  robot.simulationResetPhysics();
  Tell("movie") << robot.movieIsReady() << robot.movieFailed() << robot.movieGetStatus();
}

static void talk(Supervisor &robot) {
  Tell("robot") << robot.getName() << robot.getModel() << robot.getControllerName() << robot.getControllerArguments()
                << robot.getBasicTimeStep() << robot.getSupervisor() << robot.getSynchronization()
                << robot.getCustomData();
  robot.setCustomData("said \"so\"");
  Tell("custom") << robot.getCustomData() << robot.getDevice("gps")->getName() << robot.getNumberOfDevices();
  Tell("urdf") << robot.getUrdf().size() << AnsiCodes::RED_FOREGROUND.size();
  Keyboard *keyboard = robot.getKeyboard();
  Tell("no_key") << keyboard->getKey();
  Mouse *mouse = robot.getMouse();
  Joystick *joystick = robot.getJoystick();
  keyboard->enable(STEP);
  mouse->enable(STEP);
  joystick->enable(STEP);
  mouse->enable3dPosition();
  Tell("no_joystick") << joystick->isConnected() << mouse->getState().left << joystick->getNumberOfAxes();
  std::cout << "waits" << std::endl;
  int key = -1;
  while (robot.step(STEP) != -1) {
    key = keyboard->getKey();
    if (key != -1 && mouse->getState().left && joystick->isConnected()) break;
  }
  int second = keyboard->getKey();
  Tell("keys") << key << second << keyboard->getKey() << Robot::EVENT_KEYBOARD;
  const MouseState state = mouse->getState();
  Tell("mouse") << state.left << state.middle << state.right << state.u << state.v << state.x << state.y << state.z;
  Tell("joystick") << joystick->getNumberOfAxes() << joystick->getAxisValue(0) << joystick->getAxisValue(1);
  const int pressed = joystick->getPressedButton(), next = joystick->getPressedButton();
  Tell("buttons") << pressed << next << joystick->getPressedButton();
}

static void drive() {
  Car car;
  GPS *gps = car.getGPS("gps");
  gps->enable(STEP);
  car.getEmitter("emitter")->send("hello", 6);
  Tell("car") << car.getType() << car.getEngineType() << car.getWheelbase() << car.getTrackFront() << car.getTrackRear()
              << car.getFrontWheelRadius() << car.getRearWheelRadius() << car.getGearNumber()
              << Driver::isInitialisationPossible() << car.getControlMode();
  car.setSteeringAngle(0.3);
  car.setCruisingSpeed(20.0);
  car.setIndicator(Driver::INDICATOR_RIGHT);
  car.setDippedBeams(true);
  car.setAntifogLights(true);
  car.setHazardFlashers(false);
  for (int i = 0; i < 30; i++) car.step();
  {
    Tell line("cruises");
    line << car.getCurrentSpeed() << car.getTargetCruisingSpeed() << car.getSteeringAngle();
    for (int i = 0; i < Car::WHEEL_NB; i++) line << car.getWheelSpeed(static_cast<Car::WheelIndex>(i));
    for (int i = 0; i < Car::WHEEL_NB; i++) line << car.getWheelEncoder(static_cast<Car::WheelIndex>(i));
    line << car.getRightSteeringAngle() << car.getLeftSteeringAngle();
  }
  Tell("lights") << car.getIndicator() << car.getDippedBeams() << car.getAntifogLights() << car.getHazardFlashers()
                 << car.getBrakeLights() << car.getBackwardsLights() << car.getIndicatorPeriod() << car.getWiperMode();
  car.setGear(1);
  car.setThrottle(0.5);
  car.enableLimitedSlipDifferential(true);
  for (int i = 0; i < 30; i++) car.step();
  Tell("pushes") << car.getCurrentSpeed() << car.getRpm() << car.getGear() << car.getThrottle() << car.getControlMode();
  car.setSteeringAngle(0.0);
  car.setThrottle(0.0);
  car.setBrakeIntensity(0.5);
  for (int i = 0; i < 10; i++) car.step();
  (Tell("brakes") << car.getCurrentSpeed() << car.getBrakeIntensity() << car.getBrakeLights() << car.getIndicator())
    .all(gps->getValues(), 3);
}

int main() {
  if (!std::strcmp(std::getenv("ODESIM_ROBOT"), "car")) {
    drive();
    return 0;
  }
  Supervisor robot;
  sense(robot);
  see(robot);
  act(robot);
  supervise(robot);
  talk(robot);
  return 0;
}
