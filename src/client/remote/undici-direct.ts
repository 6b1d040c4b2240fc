/// <reference path="./undici-parts.d.ts" />
// What a request without a proxy takes, as one part of the built program: each file more costs time to open.
import request from 'undici/lib/api/api-request.js';
import buildConnector from 'undici/lib/core/connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';

export { Agent, buildConnector, request };
