"""Set-up of a gateway: discovery or address, then the password, with which the integration makes a token of its own.

The password is used once, in a proof, and not stored. The key that the gateway shows at the first contact is pinned.
"""

import contextlib
from collections.abc import Mapping
from typing import Any

import probatio
from homeassistant.config_entries import SOURCE_REAUTH, SOURCE_RECONFIGURE, ConfigFlow, ConfigFlowResult
from homeassistant.const import CONF_HOST, CONF_PASSWORD, CONF_PORT, CONF_TOKEN
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.selector import TextSelector, TextSelectorConfig, TextSelectorType
from homeassistant.helpers.service_info.zeroconf import ZeroconfServiceInfo

from .api import HTTPS_PORT, GatewayClient, GatewayError, split_address
from .const import (
    CONF_ALLOW_CONTROL,
    CONF_PIN,
    CONF_SCOPE,
    CONF_TOKEN_ID,
    DOMAIN,
    LOGGER,
    SCOPE_FULL,
    SCOPE_READ,
    TOKEN_NAME,
)
from .coordinator import GatewayConfigEntry

_PASSWORD = TextSelector(TextSelectorConfig(type=TextSelectorType.PASSWORD, autocomplete="current-password"))
_ERRORS = {
    "cannot_connect": "cannot_connect",
    "key_changed": "key_changed",
    "invalid_proof": "invalid_auth",
    "too_many_attempts": "too_many_attempts",
    "token_slots_full": "tokens_full",
    "unauthorized": "password_needed",
}
"""Texts for the codes of failures; `unknown` for others."""


class GatewayConfigFlow(ConfigFlow, domain=DOMAIN):
    """Config flow of a gateway."""

    VERSION = 1

    def __init__(self) -> None:
        """Begin without a gateway."""
        self._host = ""
        self._port = HTTPS_PORT
        self._pin = ""
        self._fingerprint = ""
        self._name = ""

    async def async_step_user(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask for the address."""
        errors: dict[str, str] = {}
        if user_input is not None:
            errors = await self._meet(user_input[CONF_HOST])
            if not errors:
                self._name = self._host
                return await self.async_step_authenticate()
        schema = self.add_suggested_values_to_schema(probatio.Schema({probatio.Required(CONF_HOST): str}), user_input)
        return self.async_show_form(step_id="user", data_schema=schema, errors=errors)

    async def async_step_zeroconf(self, discovery_info: ZeroconfServiceInfo) -> ConfigFlowResult:
        """Take a discovered gateway; the announcement has only the end of its serial number."""
        end = str(discovery_info.properties.get("id", "")).lower()
        if not end:
            return self.async_abort(reason="cannot_connect")
        await self.async_set_unique_id(end)
        self._abort_if_unique_id_configured()
        if await self._meet(f"{discovery_info.host}:{discovery_info.port or HTTPS_PORT}"):
            return self.async_abort(reason="cannot_connect")
        for entry in self._async_current_entries(include_ignore=False):
            if entry.data[CONF_PIN] == self._pin:
                # The key proves that this is the gateway; an announcement alone proves nothing.
                address = {CONF_HOST: self._host, CONF_PORT: self._port}
                if address.items() <= entry.data.items():
                    return self.async_abort(reason="already_configured")
                return self.async_update_reload_and_abort(
                    entry, data_updates=address, reason="already_configured", reload_even_if_entry_is_unchanged=False
                )
            if str(entry.unique_id).endswith(end):
                return self.async_abort(reason="already_configured")
        self._name = discovery_info.hostname.removesuffix(".").removesuffix(".local")
        self.context["title_placeholders"] = {"name": self._name}
        return await self.async_step_authenticate()

    async def async_step_authenticate(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask for the password, and whether Home Assistant may control the gateway."""
        errors: dict[str, str] = {}
        if user_input is not None:
            data, errors = await self._sign_in(user_input)
            if not errors:
                return self.async_create_entry(title=self._name, data=data)
        return self._password_form("authenticate", errors, user_input)

    async def async_step_reauth(self, entry_data: Mapping[str, Any]) -> ConfigFlowResult:
        """Begin again after the token was revoked, or the key has changed."""
        return await self.async_step_reauth_confirm()

    async def async_step_reauth_confirm(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask for the password again."""
        entry = self._get_reauth_entry()
        errors = await self._meet(f"{entry.data[CONF_HOST]}:{entry.data[CONF_PORT]}")
        if user_input is not None and not errors:
            data, errors = await self._sign_in(user_input, entry)
            if not errors:
                return self.async_update_reload_and_abort(entry, data_updates=data)
        allowed = {CONF_ALLOW_CONTROL: entry.data[CONF_SCOPE] == SCOPE_FULL}
        return self._password_form("reauth_confirm", errors, user_input or allowed)

    async def async_step_reconfigure(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Change the address, or what Home Assistant may do; without a password the token stays."""
        entry = self._get_reconfigure_entry()
        errors: dict[str, str] = {}
        if user_input is not None:
            errors = await self._meet(user_input[CONF_HOST])
            if not errors:
                if user_input.get(CONF_PASSWORD):
                    data, errors = await self._sign_in(user_input, entry)
                else:
                    data, errors = await self._keep_token(user_input, entry)
            if not errors:
                return self.async_update_reload_and_abort(entry, data_updates=data)
        host, port = entry.data[CONF_HOST], entry.data[CONF_PORT]
        shown = {
            CONF_HOST: host if port == HTTPS_PORT else f"{host}:{port}",
            CONF_ALLOW_CONTROL: entry.data[CONF_SCOPE] == SCOPE_FULL,
        }
        schema = probatio.Schema(
            {
                probatio.Required(CONF_HOST): str,
                probatio.Optional(CONF_PASSWORD): _PASSWORD,
                probatio.Required(CONF_ALLOW_CONTROL, default=False): bool,
            }
        )
        return self.async_show_form(
            step_id="reconfigure",
            data_schema=self.add_suggested_values_to_schema(schema, user_input or shown),
            errors=errors,
        )

    def _password_form(self, step_id: str, errors: dict[str, str], shown: Mapping[str, Any] | None) -> ConfigFlowResult:
        schema = probatio.Schema(
            {probatio.Required(CONF_PASSWORD): _PASSWORD, probatio.Required(CONF_ALLOW_CONTROL, default=False): bool}
        )
        return self.async_show_form(
            step_id=step_id,
            data_schema=self.add_suggested_values_to_schema(schema, shown),
            errors=errors,
            description_placeholders={"host": self._host, "fingerprint": self._fingerprint},
        )

    def _client(self, pin: str | None = None, token: str = "") -> GatewayClient:
        return GatewayClient(async_get_clientsession(self.hass), self._host, self._port, pin, token)

    async def _meet(self, address: str) -> dict[str, str]:
        """Take the key of the server at this address; return the errors of the form."""
        try:
            self._host, self._port = split_address(address)
        except ValueError:
            return {CONF_HOST: "invalid_host"}
        client = self._client()
        try:
            # Also shows whether it is a gateway.
            nonce = (await client.get("system/challenge")).get("nonce")
        except GatewayError as error:
            LOGGER.debug("%s: %s", address, error)
            nonce = None
        self._pin, self._fingerprint = client.check.key, client.check.certificate
        return {} if nonce else {"base": "cannot_connect"}

    async def _sign_in(
        self, user_input: Mapping[str, Any], entry: GatewayConfigEntry | None = None
    ) -> tuple[dict[str, Any], dict[str, str]]:
        """Return the entry's data with a new token, or the errors of the form. Takes the place of the former token."""
        client = self._client(self._pin)
        scope = SCOPE_FULL if user_input[CONF_ALLOW_CONTROL] else SCOPE_READ
        try:
            await client.log_in(user_input[CONF_PASSWORD])
            await self._take_serial(client)
            if entry is not None:
                tokens = (await client.get("system/tokens"))["tokens"]
                if any(one["id"] == entry.data[CONF_TOKEN_ID] for one in tokens):
                    await client.delete(f"system/tokens/{entry.data[CONF_TOKEN_ID]}")
            else:
                self._name = (await client.get("network/status"))["hostname"]
                self._abort_if_unique_id_configured(updates={CONF_HOST: self._host, CONF_PORT: self._port})
            made = await client.post("system/tokens", {"name": TOKEN_NAME, "scope": scope})
        except GatewayError as error:
            return {}, self._errors_of(error)
        finally:
            if client.token:
                with contextlib.suppress(GatewayError):
                    await client.log_out()
        return {
            CONF_HOST: self._host,
            CONF_PORT: self._port,
            CONF_PIN: self._pin,
            CONF_SCOPE: scope,
            CONF_TOKEN: made["token"],
            CONF_TOKEN_ID: made["id"],
        }, {}

    async def _keep_token(
        self, user_input: Mapping[str, Any], entry: GatewayConfigEntry
    ) -> tuple[dict[str, Any], dict[str, str]]:
        """Return the new address if the gateway is there with its key and its token."""
        if user_input[CONF_ALLOW_CONTROL] != (entry.data[CONF_SCOPE] == SCOPE_FULL):
            return {}, {CONF_PASSWORD: "password_needed"}
        try:
            await self._take_serial(self._client(entry.data[CONF_PIN], entry.data[CONF_TOKEN]))
        except GatewayError as error:
            return {}, self._errors_of(error)
        return {CONF_HOST: self._host, CONF_PORT: self._port}, {}

    async def _take_serial(self, client: GatewayClient) -> None:
        serial = (await client.get("system/version"))["device"]["serial"]
        await self.async_set_unique_id(serial.lower(), raise_on_progress=False)
        if self.source in (SOURCE_REAUTH, SOURCE_RECONFIGURE):
            self._abort_if_unique_id_mismatch(reason="wrong_device")

    def _errors_of(self, error: GatewayError) -> dict[str, str]:
        LOGGER.debug("%s: %s", self._host, error)
        return {"base": _ERRORS.get(error.code, "unknown")}
