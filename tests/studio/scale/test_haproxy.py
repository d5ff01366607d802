"""HAProxy's file as the studio changes it: what has to be in it, and that a file of another shape is refused."""

import json

import pytest

from studio.scale.haproxy import TemplateChanged, rewritten, write_error_files

RAYS = """global
    stats socket /f/admin mode 666 level admin
defaults
    retry-on conn-failure
    errorfile 502 /f/500.http
    errorfile 503 /f/500.http
    errorfile 504 /f/500.http
    balance leastconn
frontend prometheus
    bind :9101
frontend http_frontend
    bind 127.0.0.1:8000
    use_backend http-studio if is_http-studio
backend http-studio
    log global
    http-reuse always
    server one 127.0.0.1:30000 check observe layer4 error-limit 3 on-error mark-down
    server two 127.0.0.1:30001 check observe layer4 error-limit 3 on-error mark-down
    server fallback 127.0.0.1:8500 check backup
listen stats
  bind *:8404
"""


def test_a_servers_place_goes_by_its_name_wherever_it_stands(tmp_path):
    def places(text: str) -> dict[str, str]:
        lines = [line.split() for line in rewritten(text, tmp_path).splitlines() if " id " in line]
        return {line[1]: line[line.index("id") + 1] for line in lines}

    assert len(set(places(RAYS).values())) == 2
    turned = RAYS.replace("server one 127.0.0.1:30000", "server three 127.0.0.1:30002").replace("server two", "server one")
    assert places(turned)["one"] == places(RAYS)["one"]
    assert "fallback" not in places(RAYS)


def test_the_file_has_keys_retries_and_our_errors_and_shows_figures_here_alone(tmp_path):
    text = rewritten(RAYS, tmp_path)
    assert "balance hash var(txn.studio_key)" in text
    assert "empty-response" in text
    assert "500.http" not in text
    assert "leastconn" not in text
    assert "http-reuse" not in text
    assert [line.split()[1] for line in text.splitlines() if " bind " in f" {line} "] == [
        "127.0.0.1:9101",
        "127.0.0.1:8000",
        "127.0.0.1:8404",
    ]
    assert "stats socket /f/admin mode 600 level admin" in text  # whoever may write there gives orders
    assert all("#" not in line for line in text.splitlines())  # begins a comment, within a word too


def test_who_asks_is_told_by_proxies_that_are_believed_alone(tmp_path):
    def forgets(believed: str) -> list[str]:
        return [line.strip() for line in rewritten(RAYS, tmp_path, believed).splitlines() if "del-header x-forwarded-for" in line]

    assert forgets("127.0.0.1") == ["http-request del-header x-forwarded-for if !{ src 127.0.0.1/32 }"]
    assert forgets("10.1.2.3/8, ::1") == ["http-request del-header x-forwarded-for if !{ src 10.0.0.0/8 ::1/128 }"]
    assert forgets("*") == []
    with pytest.raises(ValueError, match="a name"):
        forgets("a name")


@pytest.mark.parametrize(
    "lacking", ["balance leastconn", "retry-on conn-failure", "errorfile 503", "frontend http_frontend", "bind :9101", "mode 666"]
)
def test_a_file_of_another_shape_is_refused(tmp_path, lacking):
    with pytest.raises(TemplateChanged, match=r"Ray 2\.60\.0"):
        rewritten(RAYS.replace(lacking, "another"), tmp_path)


def test_errors_of_haproxy_are_whole_answers_in_the_studios_envelope(tmp_path):
    write_error_files(tmp_path)
    for code, status in ((408, 408), (502, 503), (503, 503), (504, 504)):
        head, body = (tmp_path / f"studio-{code}.http").read_bytes().split(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 %d " % status)
        assert b"Content-Length: %d\r\n" % len(body) in head
        assert (b"Retry-After: " in head) == (status >= 500)
        assert {"message", "code", "hint", "reason_code"} <= json.loads(body)["error"].keys()
