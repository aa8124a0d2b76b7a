"""What runs a model: torch, onnxruntime or OpenVINO, behind one interface."""
