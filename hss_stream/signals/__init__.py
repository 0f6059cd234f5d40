"""The methods, pure: values in, values out; no clock, log, setting, file or await."""
