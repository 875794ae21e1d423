# Names and numbers of ode/common.h and ode/contact.h. PyODE's own numbers above ParamVel and ContactMotion2 are those
# of an older ODE.

Infinity = dInfinity

ParamLoStop, ParamHiStop, ParamVel = dParamLoStop, dParamHiStop, dParamVel
ParamLoVel, ParamHiVel = dParamLoVel, dParamHiVel
ParamFMax, ParamFudgeFactor, ParamBounce = dParamFMax, dParamFudgeFactor, dParamBounce
ParamCFM, ParamStopERP, ParamStopCFM = dParamCFM, dParamStopERP, dParamStopCFM
ParamSuspensionERP, ParamSuspensionCFM = dParamSuspensionERP, dParamSuspensionCFM
ParamERP = dParamERP
ParamGroup = dParamGroup
"""Added to a parameter for a joint's second axis, twice for its third."""

ParamLoStop2, ParamHiStop2, ParamVel2 = dParamGroup + dParamLoStop, dParamGroup + dParamHiStop, dParamGroup + dParamVel
ParamLoVel2, ParamHiVel2 = dParamGroup + dParamLoVel, dParamGroup + dParamHiVel
ParamFMax2, ParamFudgeFactor2 = dParamGroup + dParamFMax, dParamGroup + dParamFudgeFactor
ParamBounce2, ParamCFM2 = dParamGroup + dParamBounce, dParamGroup + dParamCFM
ParamStopERP2, ParamStopCFM2 = dParamGroup + dParamStopERP, dParamGroup + dParamStopCFM
ParamSuspensionERP2 = dParamGroup + dParamSuspensionERP
ParamSuspensionCFM2 = dParamGroup + dParamSuspensionCFM
ParamERP2 = dParamGroup + dParamERP

ParamLoStop3, ParamHiStop3, ParamVel3 = dParamGroup + ParamLoStop2, dParamGroup + ParamHiStop2, dParamGroup + ParamVel2
ParamLoVel3, ParamHiVel3 = dParamGroup + ParamLoVel2, dParamGroup + ParamHiVel2
ParamFMax3, ParamFudgeFactor3 = dParamGroup + ParamFMax2, dParamGroup + ParamFudgeFactor2
ParamBounce3, ParamCFM3 = dParamGroup + ParamBounce2, dParamGroup + ParamCFM2
ParamStopERP3, ParamStopCFM3 = dParamGroup + ParamStopERP2, dParamGroup + ParamStopCFM2
ParamSuspensionERP3 = dParamGroup + ParamSuspensionERP2
ParamSuspensionCFM3 = dParamGroup + ParamSuspensionCFM2
ParamERP3 = dParamGroup + ParamERP2

# PyODE's former spelling
paramLoStop, paramHiStop, paramVel, paramFMax = ParamLoStop, ParamHiStop, ParamVel, ParamFMax
paramFudgeFactor, paramBounce, paramCFM = ParamFudgeFactor, ParamBounce, ParamCFM
paramStopERP, paramStopCFM = ParamStopERP, ParamStopCFM
paramSuspensionERP, paramSuspensionCFM = ParamSuspensionERP, ParamSuspensionCFM

ContactMu2, ContactAxisDep, ContactFDir1, ContactBounce = dContactMu2, dContactAxisDep, dContactFDir1, dContactBounce
ContactSoftERP, ContactSoftCFM = dContactSoftERP, dContactSoftCFM
ContactMotion1, ContactMotion2, ContactMotionN = dContactMotion1, dContactMotion2, dContactMotionN
ContactSlip1, ContactSlip2, ContactRolling = dContactSlip1, dContactSlip2, dContactRolling
ContactApprox0, ContactApprox1_1, ContactApprox1_2 = dContactApprox0, dContactApprox1_1, dContactApprox1_2
ContactApprox1_N, ContactApprox1 = dContactApprox1_N, dContactApprox1

AMotorUser, AMotorEuler = dAMotorUser, dAMotorEuler
