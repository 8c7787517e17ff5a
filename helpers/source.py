"""Where data and model come from: the packages on this machine, or the Hugging Face Hub."""

import os
import threading
import urllib.error
import urllib.request

PACKAGED, HUB = "packaged", "hub"


def course_source() -> str:
    """Return `"packaged"` (the default) or `"hub"`, as COURSE_SOURCE in the environment says.

    Raises ValueError for any other word.
    """
    source = os.environ.get("COURSE_SOURCE", "").strip().lower() or PACKAGED
    if source not in (PACKAGED, HUB):
        raise ValueError(
            f"COURSE_SOURCE is {source!r}, and the course knows two sources: {PACKAGED!r} (the "
            f"reviews and the model that came with the installation) and {HUB!r} (SST-2 and "
            f"bert-tiny from the Hugging Face Hub). Unset COURSE_SOURCE, or type "
            f"COURSE_SOURCE={HUB} before you start Jupyter."
        )
    return source


def require_hub(seconds: float = 8.0) -> None:
    """Return when the Hub answers within `seconds`; raise ConnectionError when it does not.

    The Hub's own client retries for over 40 seconds before it gives up. This asks once, in a
    thread, because a name lookup has no time limit of its own. With HF_HUB_OFFLINE set nothing
    is asked: the client then reads its cache, and says so itself when something is missing.
    """
    if os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE"):
        return
    endpoint = os.environ.get("HF_ENDPOINT", "https://huggingface.co").rstrip("/")
    reason = [f"no answer within {seconds:.0f} seconds"]

    def ask() -> None:
        try:
            with urllib.request.urlopen(f"{endpoint}/api/models?limit=1", timeout=seconds):
                reason.clear()
        except urllib.error.HTTPError as error:
            reason[:] = [f"it answered {error.code} {error.reason}"] if error.code >= 500 else []
        except Exception as error:
            reason[:] = [str(getattr(error, "reason", error))]

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(seconds)
    if reason:
        raise ConnectionError(
            f"COURSE_SOURCE is {HUB!r}, but the Hub at {endpoint} is out of reach "
            f"({reason[0]}). Unset COURSE_SOURCE to use the packaged reviews and model, set "
            "HF_ENDPOINT to a mirror that you can reach, or set HF_HUB_OFFLINE=1 if the data "
            "already is in this machine's Hub cache; then restart the kernel. The course does "
            "not fall back by itself: your numbers would differ and you would not know why."
        )
