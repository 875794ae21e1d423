"""A robot with two wheels, a mast and a scanner, as URDF and as SDF."""

PLUGIN = """<plugin filename="gz-sim-diff-drive-system" name="gz::sim::systems::DiffDrive">
<left_joint>left_joint</left_joint><right_joint>right_joint</right_joint>
<wheel_separation>0.3</wheel_separation><wheel_radius>0.1</wheel_radius><topic>cmd_vel</topic></plugin>"""
LIDAR = """<sensor name="scanner" type="gpu_lidar"><update_rate>10</update_rate><topic>scan</topic>
<lidar><scan><horizontal><samples>90</samples><min_angle>-1</min_angle><max_angle>1</max_angle></horizontal>
</scan><range><min>0.1</min><max>8</max></range></lidar></sensor>"""
WHEELS = (("left", 0.15), ("right", -0.15))
AXLE = -1.5707963267948966
"""rad about x: the wheel's z is its axle."""


def urdf() -> str:
    """Return its URDF."""
    wheels = "".join(
        f"""<link name="{side}"><inertial><mass value="0.5"/>
        <inertia ixx="0.002" iyy="0.002" izz="0.003" ixy="0" ixz="0" iyz="0"/></inertial>
        <collision><geometry><cylinder radius="0.1" length="0.04"/></geometry></collision></link>
        <joint name="{side}_joint" type="continuous"><parent link="base"/><child link="{side}"/>
        <origin xyz="0.05 {y} 0" rpy="{AXLE} 0 0"/>
        <axis xyz="0 0 1"/><limit effort="5" velocity="20"/></joint>"""
        for side, y in WHEELS
    )
    return f"""<robot name="rover"><link name="base"><inertial><origin xyz="0 0 0.02"/><mass value="4"/>
    <inertia ixx="0.03" iyy="0.05" izz="0.06" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><box size="0.4 0.2 0.1"/></geometry>
    <material name="m"><color rgba="1 0 0 1"/></material></visual>
    <collision><geometry><box size="0.4 0.2 0.1"/></geometry></collision>
    <collision><origin xyz="-0.15 0 -0.05"/><geometry><sphere radius="0.05"/></geometry></collision></link>
    {wheels}<link name="mast"><inertial><mass value="0.1"/>
    <inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="mast_joint" type="fixed"><parent link="base"/><child link="mast"/>
    <origin xyz="0.1 0 0.1"/></joint>
    <gazebo>{PLUGIN}</gazebo><gazebo reference="mast">{LIDAR}</gazebo></robot>"""


def sdf() -> str:
    """Return its SDF."""
    wheels = "".join(
        f"""<link name="{side}"><pose>0.05 {y} 0 {AXLE} 0 0</pose><inertial><mass>0.5</mass>
        <inertia><ixx>0.002</ixx><iyy>0.002</iyy><izz>0.003</izz></inertia></inertial>
        <collision name="c"><geometry><cylinder><radius>0.1</radius><length>0.04</length></cylinder>
        </geometry></collision></link>
        <joint name="{side}_joint" type="revolute"><parent>base</parent><child>{side}</child>
        <axis><xyz>0 0 1</xyz><limit><effort>5</effort><velocity>20</velocity></limit></axis></joint>"""
        for side, y in WHEELS
    )
    return f"""<sdf version="1.9"><model name="rover"><link name="base">
    <inertial><pose>0 0 0.02 0 0 0</pose><mass>4</mass>
    <inertia><ixx>0.03</ixx><iyy>0.05</iyy><izz>0.06</izz></inertia></inertial>
    <visual name="v"><geometry><box><size>0.4 0.2 0.1</size></box></geometry>
    <material><diffuse>1 0 0 1</diffuse></material></visual>
    <collision name="c"><geometry><box><size>0.4 0.2 0.1</size></box></geometry></collision>
    <collision name="d"><pose>-0.15 0 -0.05 0 0 0</pose>
    <geometry><sphere><radius>0.05</radius></sphere></geometry></collision></link>
    {wheels}<link name="mast"><pose>0.1 0 0.1 0 0 0</pose><inertial><mass>0.1</mass>
    <inertia><ixx>0.001</ixx><iyy>0.001</iyy><izz>0.001</izz></inertia></inertial>{LIDAR}</link>
    <joint name="mast_joint" type="fixed"><parent>base</parent><child>mast</child></joint>
    {PLUGIN}</model></sdf>"""
