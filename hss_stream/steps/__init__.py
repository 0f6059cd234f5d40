"""One use case a file, independent of Faust and HTTP."""
