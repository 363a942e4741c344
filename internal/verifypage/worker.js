// Runs one verification: what onmessage receives is the input of the WebAssembly, which calls done.
onmessage = async ({data}) => {
  globalThis.input = data;
  globalThis.done = text => postMessage(JSON.parse(text));
  try {
    const go = new Go();
    const {instance} = await WebAssembly.instantiate(data.wasm, go.importObject);
    await go.run(instance);
  } catch (error) {
    postMessage({error: "the verification stopped: " + error});
  }
};
