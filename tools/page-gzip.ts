/**
 * Worker that compresses files with Zopfli, 4 % smaller than zlib at its best level. It is a separate thread, because
 * the package installs error handlers in its process.
 */
import { parentPort, workerData } from "node:worker_threads";
import { gzipAsync } from "@gfx/zopfli";

const contents: readonly Uint8Array[] = workerData;
parentPort?.postMessage(await Promise.all(contents.map((content) => gzipAsync(content, { numiterations: 5 }))));
