"""SCBXP: the skeleton-CAM-based XML parser [T ch. 4, 6]."""
