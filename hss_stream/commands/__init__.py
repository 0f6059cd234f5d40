"""The commands of the program, one file each; nothing here decides anything."""
