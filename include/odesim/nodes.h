/* The kinds of nodes and of fields, by Webots' numbers. */
#ifndef ODESIM_NODES_H
#define ODESIM_NODES_H

#include "connection.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(constant, name of the type), in the order of Webots' nodes.h; the last are those of worlds of old. */
#define OD_NODES(X)                                                                                       \
  X(NO_NODE, "") X(APPEARANCE, "Appearance") X(BACKGROUND, "Background") X(BILLBOARD, "Billboard")        \
  X(BOX, "Box") X(CAD_SHAPE, "CadShape") X(CAPSULE, "Capsule") X(COLOR, "Color") X(CONE, "Cone")          \
  X(COORDINATE, "Coordinate") X(CYLINDER, "Cylinder") X(DIRECTIONAL_LIGHT, "DirectionalLight")            \
  X(ELEVATION_GRID, "ElevationGrid") X(FOG, "Fog") X(GROUP, "Group") X(IMAGE_TEXTURE, "ImageTexture")     \
  X(INDEXED_FACE_SET, "IndexedFaceSet") X(INDEXED_LINE_SET, "IndexedLineSet") X(MATERIAL, "Material")     \
  X(MESH, "Mesh") X(MUSCLE, "Muscle") X(NORMAL, "Normal") X(PBR_APPEARANCE, "PBRAppearance")              \
  X(PLANE, "Plane") X(POINT_LIGHT, "PointLight") X(POINT_SET, "PointSet") X(POSE, "Pose")                 \
  X(SHAPE, "Shape") X(SPHERE, "Sphere") X(SPOT_LIGHT, "SpotLight")                                        \
  X(TEXTURE_COORDINATE, "TextureCoordinate") X(TEXTURE_TRANSFORM, "TextureTransform")                     \
  X(TRANSFORM, "Transform") X(VIEWPOINT, "Viewpoint") X(ROBOT, "Robot") X(ACCELEROMETER, "Accelerometer") \
  X(ALTIMETER, "Altimeter") X(BRAKE, "Brake") X(CAMERA, "Camera") X(COMPASS, "Compass")                   \
  X(CONNECTOR, "Connector") X(DISPLAY, "Display") X(DISTANCE_SENSOR, "DistanceSensor")                    \
  X(EMITTER, "Emitter") X(GPS, "GPS") X(GYRO, "Gyro") X(INERTIAL_UNIT, "InertialUnit") X(LED, "LED")      \
  X(LIDAR, "Lidar") X(LIGHT_SENSOR, "LightSensor") X(LINEAR_MOTOR, "LinearMotor") X(PEN, "Pen")           \
  X(POSITION_SENSOR, "PositionSensor") X(PROPELLER, "Propeller") X(RADAR, "Radar")                        \
  X(RANGE_FINDER, "RangeFinder") X(RECEIVER, "Receiver") X(ROTATIONAL_MOTOR, "RotationalMotor")           \
  X(SKIN, "Skin") X(SPEAKER, "Speaker") X(TOUCH_SENSOR, "TouchSensor")                                    \
  X(VACUUM_GRIPPER, "VacuumGripper") X(BALL_JOINT, "BallJoint")                                           \
  X(BALL_JOINT_PARAMETERS, "BallJointParameters") X(CHARGER, "Charger")                                   \
  X(CONTACT_PROPERTIES, "ContactProperties") X(DAMPING, "Damping") X(FLUID, "Fluid") X(FOCUS, "Focus")    \
  X(HINGE_JOINT, "HingeJoint") X(HINGE_JOINT_PARAMETERS, "HingeJointParameters")                          \
  X(HINGE_2_JOINT, "Hinge2Joint") X(IMMERSION_PROPERTIES, "ImmersionProperties")                          \
  X(JOINT_PARAMETERS, "JointParameters") X(LENS, "Lens") X(LENS_FLARE, "LensFlare")                       \
  X(PHYSICS, "Physics") X(RECOGNITION, "Recognition") X(SLIDER_JOINT, "SliderJoint") X(SLOT, "Slot")      \
  X(SOLID, "Solid") X(SOLID_REFERENCE, "SolidReference") X(TRACK, "Track") X(TRACK_WHEEL, "TrackWheel")   \
  X(WORLD_INFO, "WorldInfo") X(ZOOM, "Zoom") X(MICROPHONE, "Microphone") X(RADIO, "Radio")                \
  X(DIFFERENTIAL_WHEELS, "DifferentialWheels") X(SERVO, "Servo") X(EXTRUSION, "Extrusion")

#define OD_CONSTANT(constant, name) WB_NODE_##constant,
#define OD_NAME(constant, name) name,
typedef enum { OD_NODES(OD_CONSTANT) OD_NODE_COUNT } WbNodeType;
#define WB_NODE_SUPERVISOR WB_NODE_ROBOT /* what these are when a world has been read */
#define WB_NODE_CUSTOM_ROBOT WB_NODE_ROBOT
#define WB_NODE_GRIPPER WB_NODE_SOLID
typedef enum {
  WB_NO_FIELD, WB_SF_BOOL, WB_SF_INT32, WB_SF_FLOAT, WB_SF_VEC2F, WB_SF_VEC3F, WB_SF_ROTATION, WB_SF_COLOR, WB_SF_STRING,
  WB_SF_NODE, WB_MF = 0x10, WB_MF_BOOL, WB_MF_INT32, WB_MF_FLOAT, WB_MF_VEC2F, WB_MF_VEC3F, WB_MF_ROTATION,
  WB_MF_COLOR, WB_MF_STRING, WB_MF_NODE
} WbFieldType;
OD_API const char *od_node_name(int type) {
  static const char *const names[] = {OD_NODES(OD_NAME)};
  return type > 0 && type < OD_NODE_COUNT ? names[type] : "";
}

OD_API int od_node_type(const char *name) {
  for (int i = 1; i < OD_NODE_COUNT; i++)
    if (!strcmp(od_node_name(i), name)) return i;
  return WB_NODE_NO_NODE;
}
OD_API const char *wb_node_get_name(WbNodeType type) { return od_node_name(type); }

#ifdef __cplusplus
}
#endif
#endif
