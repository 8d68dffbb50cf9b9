"""Parts of ``make bench``: clocks of the hardware beside the thesis's figures and beside software on this machine."""
