"""Exact-match memories of keys; they know nothing of XML."""

from hdl.cam.hash import HashCam
from hdl.cam.interface import CamCommand, CamOperation, CamResponse, CamResult, CamStatus
from hdl.cam.register import RegisterCam

__all__ = ["CamCommand", "CamOperation", "CamResponse", "CamResult", "CamStatus", "HashCam", "RegisterCam"]
