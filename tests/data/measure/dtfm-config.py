import numpy as np

delay_bandwidth_dict = {
    "Alpha-Beta": (67, 0.79),
    "Alpha-Gamma": (49, 1.10),
    'Beta-Gamma': (11, 1.12)
}

nodes = 64
