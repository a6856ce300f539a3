import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDcgm } from './dcgm.ts';

const A100 = 'gpu="0",UUID="GPU-1",device="nvidia0",modelName="NVIDIA A100",Hostname="box1"';

test('reads one GPU with the pod that holds it', () => {
  const held = `${A100},container="main",namespace="village",pod="ada-3"`;
  const text = [
    '# TYPE DCGM_FI_DEV_GPU_UTIL gauge',
    `DCGM_FI_DEV_GPU_UTIL{${held}} 87`,
    `DCGM_FI_DEV_FB_USED{${held}} 1024`,
    `DCGM_FI_DEV_FB_FREE{${held}} 3072`,
    `DCGM_FI_DEV_GPU_TEMP{${held}} 61`,
    `DCGM_FI_DEV_POWER_USAGE{${held}} 212.5`,
    `DCGM_FI_DEV_SM_CLOCK{${held}} 1410`,
  ].join('\n');
  assert.deepEqual(readDcgm(text), [
    {
      id: '0',
      node: 'box1',
      model: 'NVIDIA A100',
      busyPercent: 87,
      memoryUsedBytes: 2 ** 30,
      memoryTotalBytes: 2 ** 32,
      temperatureCelsius: 61,
      powerWatts: 212.5,
      pods: [{ namespace: 'village', name: 'ada-3' }],
    },
  ]);
});

test('a GPU that shares the memory of its node has no memory of its own', () => {
  const text = [
    'DCGM_FI_DEV_GPU_UTIL{gpu="0",UUID="GPU-9",modelName="NVIDIA GB10",Hostname="sparky1"} 140',
    'DCGM_FI_DEV_FB_USED{gpu="0",UUID="GPU-9",modelName="NVIDIA GB10",Hostname="sparky1"} 9223372036854775792',
    'DCGM_FI_DEV_FB_FREE{gpu="0",UUID="GPU-9",modelName="NVIDIA GB10",Hostname="sparky1"} 0',
  ].join('\n');
  const [gpu] = readDcgm(text);
  assert.deepEqual(
    [gpu?.busyPercent, gpu?.memoryUsedBytes, gpu?.memoryTotalBytes, gpu?.powerWatts, gpu?.pods],
    [100, null, null, null, []],
  );
});

test('keeps the devices of several nodes, and the renamed labels of a scraper, apart', () => {
  const text = [
    `DCGM_FI_DEV_GPU_UTIL{${A100},exported_pod="eve-1",exported_namespace="v",pod="exporter"} 1`,
    `DCGM_FI_DEV_GPU_UTIL{${A100},exported_pod="bob-1",exported_namespace="v",pod="exporter"} 1`,
    `DCGM_FI_DEV_GPU_UTIL{${A100.replace('box1', 'box2')}} 2`,
    `DCGM_FI_DEV_GPU_UTIL{${A100.replace('GPU-1', 'GPU-2')}} 3`,
  ].join('\n');
  const gpus = readDcgm(text);
  assert.deepEqual(
    gpus.map(({ node, busyPercent }) => [node, busyPercent]),
    [
      ['box1', 1],
      ['box2', 2],
      ['box1', 3],
    ],
  );
  assert.deepEqual(
    gpus[0]?.pods.map(({ name }) => name),
    ['eve-1', 'bob-1'],
  );
});

test('bounds devices and names', () => {
  const many = Array.from(
    { length: 100 },
    (_, at) => `DCGM_FI_DEV_GPU_UTIL{gpu="${at}",Hostname="${'n'.repeat(400)}"} 1`,
  );
  const gpus = readDcgm(many.join('\n'));
  assert.equal(gpus.length, 64);
  assert.equal(gpus[0]?.node.length, 253);
});
