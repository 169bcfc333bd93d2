/**
 * Worker thread that compresses files with Zopfli. The files are 4 % smaller than with zlib at its best level. A
 * separate thread is used, because the package installs error handlers in its process.
 */
import { parentPort, workerData } from "node:worker_threads";
import { gzipAsync } from "@gfx/zopfli";

const contents: readonly Uint8Array[] = workerData;
parentPort?.postMessage(await Promise.all(contents.map((content) => gzipAsync(content, { numiterations: 15 }))));
