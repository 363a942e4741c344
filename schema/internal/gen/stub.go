package main
func writeProtoDecode(*contract, *source) {}
func writeProtoAppend(*contract, *source) {}
func writeJSONDecode(*contract, *source) {}
func writeJSONAppend(*contract, *source) {}
